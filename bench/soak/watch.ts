import { readdirSync, readFileSync, statSync } from 'node:fs'
import Sqlite from 'better-sqlite3'

/** The resources of a running service. */
export interface Sample {
  /** Seconds since the start of the load. */
  time: number
  mebibytes: number
  /** Open files and sockets. */
  handles: number
  /** The size of the database and its WAL. */
  fileMebibytes: number
}

export function takeSample(pid: number, path: string, time: number): Sample {
  const status = readFileSync(`/proc/${pid}/status`, 'utf8')
  const bytes = ['', '-wal'].map(suffix => statSync(path + suffix, { throwIfNoEntry: false })?.size ?? 0)
  return {
    time,
    mebibytes: Number(/VmRSS:\s+(\d+)/.exec(status)?.[1]) / 1024,
    handles: readdirSync(`/proc/${pid}/fd`).length,
    fileMebibytes: bytes.reduce((sum, size) => sum + size) / 2 ** 20
  }
}

/** The tables that grow with every write, because they keep the history. */
const history = /^(sqlite_autoindex_)?product_(template_past|revision)/

/** The used bytes of a database by purpose, and the number of its revisions. */
export interface Contents {
  history: number
  rest: number
  revisions: number
}

export function readContents(path: string): Contents {
  const file = new Sqlite(path, { readonly: true })
  try {
    const tables = file.prepare('select name, sum(pgsize) as bytes from dbstat group by name').all() as {
      name: string
      bytes: number
    }[]
    const sum = (isHistory: boolean) =>
      tables.filter(({ name }) => history.test(name) === isHistory).reduce((all, { bytes }) => all + bytes, 0)
    const revisions = file.prepare('select count(*) from product_revision').pluck().get() as number
    return { history: sum(true), rest: sum(false), revisions }
  } finally {
    file.close()
  }
}

/** Returns the slope of the regression line (least squares) per hour. */
export function slopePerHour(samples: Sample[], value: (sample: Sample) => number): number {
  const mean = (numbers: number[]) => numbers.reduce((sum, number) => sum + number, 0) / numbers.length
  const [x, y] = [mean(samples.map(({ time }) => time)), mean(samples.map(value))]
  const above = samples.reduce((sum, sample) => sum + (sample.time - x) * (value(sample) - y), 0)
  const below = samples.reduce((sum, { time }) => sum + (time - x) ** 2, 0)
  return (above / below) * 3600
}
