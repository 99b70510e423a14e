/**
 * Microseconds since the epoch. `Date` knows the day but only milliseconds; `performance` counts real
 * microseconds from a start that a corrected system clock leaves behind. So: the second, moved onto the
 * first again whenever they part by more than two milliseconds.
 */
let offset = performance.timeOrigin
let last = 0

function epochMicroseconds(): number {
  if (Math.abs(offset + performance.now() - Date.now()) > 2) offset = Date.now() - performance.now()
  // Two writes of one process never share an instant: the order of their rows is the order of the writes.
  last = Math.max(last + 1, Math.floor((offset + performance.now()) * 1000))
  return last
}

/** Now, as stored: `YYYY-MM-DDTHH:MM:SS.ffffffZ`. Strictly increasing within the process. */
export function timestamp(): string {
  return formatTimestamp(epochMicroseconds())
}

/** Microseconds since the epoch in the stored format. */
export function formatTimestamp(microseconds: number): string {
  const milliseconds = Math.floor(microseconds / 1000)
  const rest = String(microseconds - milliseconds * 1000).padStart(3, '0')
  return new Date(milliseconds).toISOString().replace('Z', `${rest}Z`)
}
