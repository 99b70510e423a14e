import { formatLocalTime, formatUtcTime } from '../format.ts'

/** A time in the user's time zone. Its tooltip is the time in UTC to the microsecond. */
export function Time({ time }: { time: string }) {
  return (
    <time dateTime={time} title={formatUtcTime(time)}>
      {formatLocalTime(time)}
    </time>
  )
}
