import { UsageError } from './command.ts'

const units: Record<string, number> = { s: 1, m: 60, h: 3600, d: 86_400 }

/** Reads a duration such as `90s`, `30m`, `1h` or `7d`; returns seconds, at most `max`. Throws UsageError. */
export function readDuration(option: string, text: string, max: number): number {
  const [, number, unit = ''] = /^(\d{1,9})([smhd])$/.exec(text) ?? []
  const seconds = Number(number) * (units[unit] ?? 0)
  if (!(seconds >= 1 && seconds <= max))
    throw new UsageError(`${option} takes a duration such as 30m, 1h or 7d, at most ${max / 86_400}d`)
  return seconds
}
