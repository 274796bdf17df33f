/**
 * The merchant of smoke tests, and the subscriber that gets its events. An operator signs callbacks of this merchant to
 * check a running stack, so its events are not about money and no other subscriber may get them.
 */
export const smokeName = "paycast-smoke";
