/**
 * Microseconds since the epoch. `Date` knows the day but only milliseconds; `performance` counts real
 * microseconds from a start that a corrected system clock leaves behind. So: the second, moved onto the
 * first again whenever they part by more than two milliseconds.
 */
let offset = performance.timeOrigin
let last = 0

function epochMicroseconds(): number {
  if (Math.abs(offset + performance.now() - Date.now()) > 2) offset = Date.now() - performance.now()
  const measured = Math.floor((offset + performance.now()) * 1000)
  // Two writes of one process never share an instant: the order of their rows is the order of the writes.
  // Only a clock that was set back, by more than a second, is followed.
  last = measured > last || last - measured > 1_000_000 ? measured : last + 1
  return last
}

/** Seconds by which the clocks of two instances may differ. */
export const clockSkewSeconds = 60

/** Now, as stored: `YYYY-MM-DDTHH:MM:SS.ffffffZ`. Strictly increasing while the clock is not set back. */
export function timestamp(): string {
  return formatTimestamp(epochMicroseconds())
}

/** The time so many seconds ago, as stored. */
export const secondsAgo = (seconds: number): string => formatTimestamp((Date.now() - seconds * 1000) * 1000)

/** Microseconds since the epoch in the stored format. */
export function formatTimestamp(microseconds: number): string {
  const milliseconds = Math.floor(microseconds / 1000)
  const rest = String(microseconds - milliseconds * 1000).padStart(3, '0')
  return new Date(milliseconds).toISOString().replace('Z', `${rest}Z`)
}
