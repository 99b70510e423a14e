import { exactTime, localTime } from '../words.ts'

/** A time in the zone of the reader; in UTC to the microsecond on hover. */
export function Time({ time }: { time: string }) {
  return (
    <time dateTime={time} title={exactTime(time)}>
      {localTime(time)}
    </time>
  )
}
