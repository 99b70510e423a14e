/** Milliseconds for requests in progress to finish after a signal. */
export const closeTimeout = 10_000
/** The same for the primary process of several workers, which end by the timeout above. */
export const closeTimeoutOfAll = closeTimeout + 2000
