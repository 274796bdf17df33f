/** What Node gives the main thread, on which Lambda runs a function (V8's --stack-size). */
const mainThreadKilobytes = 984;
/** What Node keeps for itself of a worker's stack. */
const keptByNodeKilobytes = 192;

/**
 * The `stackSizeMb` that leaves a worker as much as Lambda's main thread has. A worker's default is four times that,
 * so that a deep input would pass here and crash at AWS.
 */
export const lambdaStackMegabytes = (mainThreadKilobytes + keptByNodeKilobytes) / 1024;
