import type { SpanContext } from '@opentelemetry/api'

/** A later version may have more behind the flags, version 00 has not; ff is none. Zeros are no ids. */
const form = /^(?!ff)([\da-f]{2})-(?!0{32})([\da-f]{32})-(?!0{16})([\da-f]{16})-([\da-f]{2})(-.*)?$/

/** Parses a `traceparent`, §3.2; undefined if it is malformed: the trace then begins here. */
export function parseTraceparent(header: unknown): SpanContext | undefined {
  const [, version, traceId, spanId, flags, more] =
    typeof header === 'string' ? (form.exec(header) ?? []) : []
  if (!traceId || !spanId || !flags || (version === '00' && more !== undefined)) return undefined
  // Only the flag `sampled` is known.
  return { traceId, spanId, traceFlags: Number.parseInt(flags, 16) & 1 }
}

export const formatTraceparent = ({ traceId, spanId, traceFlags }: SpanContext): string =>
  `00-${traceId}-${spanId}-${traceFlags & 1 ? '01' : '00'}`
