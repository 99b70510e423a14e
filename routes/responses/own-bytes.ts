/**
 * Joins buffers into one with memory of its own. Node.js makes short buffers as slices of 64 KiB, and one that is kept
 * would keep all of them in memory.
 */
export function joinOwnBytes(parts: Buffer[]): Buffer {
  const whole = Buffer.allocUnsafeSlow(parts.reduce((sum, { length }) => sum + length, 0))
  let at = 0
  for (const part of parts) at += part.copy(whole, at)
  return whole
}
