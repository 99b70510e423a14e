/** A process whose worker threads become idle. Its argument is a database. It prints how many threads there are. */
import { until } from '../../support/until.ts'
import { makeTask, openThreads } from './support.ts'

const [, , url = ''] = process.argv
const { signal } = new AbortController()
const countThreads = () => (process.report.getReport() as { workers: unknown[] }).workers.length

const impatient = openThreads(url, { idleTimeout: 1 })
await impatient.run(() => makeTask('{ allProducts { id } }'), { token: 'one', isShort: false, signal })
await until(() => countThreads() === 0)
console.log('no thread')

// Not closed.
const patient = openThreads(url, { idleTimeout: 600_000 })
await patient.run(() => makeTask('{ allProducts { id } }'), { token: 'one', isShort: false, signal })
console.log(`${countThreads()} thread`)
