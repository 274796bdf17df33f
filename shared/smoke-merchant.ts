/**
 * The merchant of smoke tests, and the subscriber that receives its events. An operator signs callbacks of this
 * merchant to check a running stack. Its events are not about money, so no other subscriber may receive them.
 */
export const smokeName = "paycast-smoke";
