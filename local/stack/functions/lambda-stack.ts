/** The stack of Node's main thread, on which Lambda runs a function: V8's --stack-size, which is smaller on ARM. */
const mainThreadKilobytes = process.arch.startsWith("arm") ? 864 : 984;
/** The part of a worker's stack that Node needs itself. */
const keptByNodeKilobytes = 192;

/**
 * The `stackSizeMb` that gives a worker the same stack as Lambda's main thread. A worker's default is four times as
 * large: a deep input would work here and crash at AWS.
 */
export const lambdaStackMegabytes = (mainThreadKilobytes + keptByNodeKilobytes) / 1024;
