import { features } from '../../features/load.ts'
import { counter, gauge, histogram } from './kinds.ts'

/** Upper bounds of histogram buckets in seconds, for pauses of the garbage collector. */
const pauseBuckets = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 5]

/** The prefix of the name of every metric. */
export const prefix = 'product_templates_'

/** The metrics of the core. */
const coreDefinitions = {
  http_requests_total: counter('requests answered; an unknown path has the route `unknown`', [
    'route',
    'method',
    'status'
  ]),
  http_request_duration_seconds: histogram('time from the head of a request to the end of its response', [
    'route',
    'method'
  ]),
  http_connections: gauge('open connections of clients'),
  errors_total: counter('requests refused or failed, by the code of the error and its reason', [
    'code',
    'reason'
  ]),
  graphql_operations_total: counter('operations, by how they were answered: executed, kept or shared', [
    'operation',
    'type',
    'source'
  ]),
  graphql_operation_duration_seconds: histogram(
    'time from admission of an executed operation to its result',
    ['operation', 'type']
  ),
  graphql_cost_total: counter('actual cost of executed operations, in units of 10 microseconds', [
    'operation',
    'type'
  ]),
  graphql_errors_total: counter('GraphQL responses with an error in the body, by its code', ['code']),
  graphql_operations_running: gauge('operations that run'),
  graphql_operations_waiting: gauge('operations that wait for others of their token'),
  graphql_threads_running: gauge('operations that run on worker threads'),
  graphql_threads_waiting: gauge('operations that wait for a worker thread'),
  graphql_threads_terminated_total: counter('worker threads that were ended with their operation'),
  graphql_pending_bytes: gauge('bytes of responses that are being written or sent'),
  responses_kept: gauge('responses in memory'),
  responses_kept_bytes: gauge('bytes of responses in memory'),
  responses_kept_hits_total: counter('requests answered with a response in memory'),
  responses_kept_evictions_total: counter('responses dropped for lack of memory'),
  change_streams: gauge('open streams of changes'),
  tokens_issued_total: counter('access tokens issued', ['grant']),
  logins_total: counter('logins on the login page and by the password grant, by outcome', ['outcome']),
  hashes_running: gauge('password hashes that run'),
  hashes_waiting: gauge('password hashes that wait'),
  hash_duration_seconds: histogram('time of a password hash, without waiting'),
  hash_wait_seconds: histogram('time a password hash waited to start'),
  hashes_refused_total: counter('password hashes refused, because too many waited or one waited too long'),
  store_up: gauge('whether the database answered this scrape', ['engine']),
  store_templates: gauge('templates, approximately'),
  store_revisions: gauge('revisions of templates, approximately'),
  store_version_changes_total: counter('changes of the store that the process noticed, by version', [
    'version'
  ]),
  store_file_bytes: gauge('size of the SQLite file and its write-ahead log', ['file']),
  store_disk_free_bytes: gauge('free bytes on the file system of the SQLite file'),
  store_writer_wait_seconds: histogram('time a writer waited for the SQLite file'),
  store_writer_timeouts_total: counter('writers that gave up waiting for the SQLite file'),
  store_replica_reads_total: counter(
    'attempts to read from the replica, by result, without those of worker threads',
    ['result']
  ),
  store_connections: gauge('PostgreSQL connections, busy or idle, without those of worker threads', [
    'state'
  ]),
  store_connections_max: gauge('PostgreSQL connections that the pool may open'),
  store_connections_waiting: gauge('requests that wait for a PostgreSQL connection', ['for']),
  log_lines_dropped_total: counter('log lines that could not be written'),
  process_cpu_seconds_total: counter('processor time', ['mode']),
  process_resident_memory_bytes: gauge('resident memory'),
  process_heap_bytes: gauge('JavaScript heap, used and allocated', ['state']),
  process_external_memory_bytes: gauge('memory of buffers and of objects outside the heap'),
  process_open_fds: gauge('open file descriptors'),
  process_max_fds: gauge('limit of open file descriptors'),
  process_start_time_seconds: gauge('start of the process, in seconds since the epoch'),
  event_loop_active_seconds_total: counter('time the event loop was at work; its rate is the utilization'),
  event_loop_delay_seconds: gauge('delay of the event loop since the previous scrape', ['percentile']),
  gc_duration_seconds: histogram('pauses of the garbage collector', ['kind'], pauseBuckets),
  build_info: gauge('always 1; the version is in the labels', ['version', 'node'])
}

/**
 * Every metric, without the prefix. Docs, dashboard and alerts are checked against this table. The type has those of the
 * core. At run time, the same object has those of the features.
 */
export const definitions: typeof coreDefinitions = Object.assign(
  {},
  coreDefinitions,
  ...features.map(({ metrics }) => metrics)
)

export type MetricName = keyof typeof definitions

/** The names of the metrics of a type. */
export type NameOf<Type> = {
  [Name in MetricName]: (typeof definitions)[Name]['type'] extends Type ? Name : never
}[MetricName]

/** The values of counters and gauges at one moment: a number, or a number for each value of the label. */
export type MetricValues<Name extends string = NameOf<'counter' | 'gauge'>> = {
  [Each in Name]?: number | Record<string, number>
}
