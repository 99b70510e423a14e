/** The panels of the dashboard and of its picture. */
import { prefix } from '../../runtime/metrics/definitions.ts'

/** Units of Grafana. */
export type Unit = 'reqps' | 'ops' | 's' | 'bytes' | 'percentunit' | 'short'

export interface Panel {
  title: string
  description: string
  unit: Unit
  queries: { expression: string; legend: string }[]
  /** Whether the lines are stacked. */
  stacked?: true
}

interface Row {
  title: string
  panels: Panel[]
}

/** The interval of rates. Grafana replaces it by a multiple of the scrape interval. */
export const rateInterval = '$__rate_interval'
const jobs = 'job=~"$job"'

const select = (name: string, ...labels: string[]): string =>
  `${prefix}${name}{${[jobs, ...labels].join(',')}}`
const rate = (name: string, ...labels: string[]): string =>
  `rate(${select(name, ...labels)}[${rateInterval}])`
const sum = (expression: string, by = ''): string => `sum${by && ` by (${by})`} (${expression})`
const quantile = (share: number, name: string, by = '', ...labels: string[]): string =>
  `histogram_quantile(${share}, ${sum(rate(`${name}_bucket`, ...labels), ['le', by].filter(Boolean).join(', '))})`
const panel = (
  title: string,
  unit: Unit,
  description: string,
  queries: Record<string, string>,
  more: { stacked?: true } = {}
): Panel => ({
  title,
  unit,
  description,
  queries: Object.entries(queries).map(([legend, expression]) => ({ legend, expression })),
  ...more
})

const traffic: Panel[] = [
  panel(
    'Requests',
    'reqps',
    'Requests per second by endpoint.',
    { '{{route}}': sum(rate('http_requests_total'), 'route') },
    { stacked: true }
  ),
  panel('Latency', 's', 'From the head of a request to the end of its response, without probes.', {
    'half of them': quantile(
      0.5,
      'http_request_duration_seconds',
      '',
      'route!~"/livez|/readyz|/startupz|/metrics"'
    ),
    '95 %': quantile(0.95, 'http_request_duration_seconds', '', 'route!~"/livez|/readyz|/startupz|/metrics"'),
    '99 %': quantile(0.99, 'http_request_duration_seconds', '', 'route!~"/livez|/readyz|/startupz|/metrics"')
  }),
  panel('Failed requests', 'percentunit', 'Share of the responses with a status of 500 or more.', {
    failed: `${sum(rate('http_requests_total', 'status=~"5.."'))} / ${sum(rate('http_requests_total'))} or vector(0)`
  }),
  panel(
    'Refused requests',
    'reqps',
    'By the code of the error and its reason: a wrong password, an expired token, too many requests.',
    { '{{code}} {{reason}}': sum(rate('errors_total'), 'code, reason') },
    { stacked: true }
  )
]

const graphql: Panel[] = [
  panel(
    'Operations',
    'ops',
    'The ten most frequent operations, by the name that clients give them.',
    { '{{operation}}': `topk(10, ${sum(rate('graphql_operations_total'), 'operation')})` },
    { stacked: true }
  ),
  panel(
    'Cached responses',
    'percentunit',
    'Share of the operations answered from memory, or by joining an equal one.',
    {
      cached: `${sum(rate('graphql_operations_total', 'source="cached"'))} / ${sum(rate('graphql_operations_total'))}`,
      joined: `${sum(rate('graphql_operations_total', 'source="joined"'))} / ${sum(rate('graphql_operations_total'))}`
    }
  ),
  panel(
    'Cost',
    'short',
    'Actual cost per second of the ten most expensive operations; 100,000 is a second of their time.',
    { '{{operation}}': `topk(10, ${sum(rate('graphql_cost_total'), 'operation')})` },
    { stacked: true }
  ),
  panel('Slowest operations', 's', '95 % of the executions of an operation take less.', {
    '{{operation}}': `topk(10, ${quantile(0.95, 'graphql_operation_duration_seconds', 'operation')})`
  }),
  panel('GraphQL errors', 'ops', 'Responses with an error in the body.', {
    '{{code}}': sum(rate('graphql_errors_total'), 'code')
  }),
  panel(
    'Operations at once',
    'short',
    'Operations that run, and those that wait for others of their token. Large ones run on worker threads.',
    {
      running: sum(select('graphql_operations_running')),
      waiting: sum(select('graphql_operations_waiting')),
      'on threads': sum(select('graphql_threads_running')),
      'waiting for a thread': sum(select('graphql_threads_waiting')),
      'threads terminated per second': sum(rate('graphql_threads_terminated_total')),
      'streams of changes': sum(select('change_streams')),
      WebSockets: sum(select('websockets')),
      'WebSockets closed per second': sum(rate('websocket_closes_total'))
    }
  )
]

const logins: Panel[] = [
  panel('Logins', 'ops', 'Logins by password or passkey, by outcome.', {
    '{{outcome}}': sum(rate('logins_total'), 'outcome')
  }),
  panel('Tokens issued', 'ops', 'Access tokens by grant.', {
    '{{grant}}': sum(rate('tokens_issued_total'), 'grant')
  }),
  panel('Password hashes', 'short', 'Hashes that run and wait.', {
    running: sum(select('hashes_running')),
    waiting: sum(select('hashes_waiting')),
    'refused per second': sum(rate('hashes_refused_total'))
  }),
  panel('Time for a hash', 's', 'The hash itself, and how long it waits to start.', {
    'hash, 95 %': quantile(0.95, 'hash_duration_seconds'),
    'wait, 95 %': quantile(0.95, 'hash_wait_seconds')
  })
]

const store: Panel[] = [
  panel('Database', 'short', '1 while the database answers.', { '{{instance}}': select('store_up') }),
  panel('Templates', 'short', 'Templates and their revisions.', {
    templates: `max(${select('store_templates')})`,
    revisions: `max(${select('store_revisions')})`
  }),
  panel(
    'Changes',
    'ops',
    'Changes of the store that a process has noticed; each change invalidates its caches.',
    {
      '{{version}}': sum(rate('store_version_changes_total'), 'version')
    }
  ),
  panel('Waiting for the database', 's', 'SQLite: how long writers wait for the file.', {
    'writers, 99 %': quantile(0.99, 'store_writer_wait_seconds')
  }),
  panel('Connections', 'short', 'PostgreSQL: connections of the pool, and requests that wait for one.', {
    '{{state}}': sum(select('store_connections'), 'state'),
    'waiting for a {{for}}': sum(select('store_connections_waiting'), 'for')
  }),
  panel('Files', 'bytes', 'SQLite: the file and its write-ahead log.', {
    '{{file}}': `max by (file) (${select('store_file_bytes')})`
  }),
  panel('Free disk', 'bytes', 'SQLite: free space on the file system of the file.', {
    free: `min(${select('store_disk_free_bytes')})`
  }),
  panel('Replica', 'ops', 'PostgreSQL: attempts to read from the replica, by result.', {
    '{{result}}': sum(rate('store_replica_reads_total'), 'result')
  })
]

const webhooks: Panel[] = [
  panel('Messages', 'ops', 'Attempts to send a change to a webhook, by outcome.', {
    '{{outcome}}': sum(rate('webhook_attempts_total'), 'outcome')
  }),
  panel(
    'Behind',
    'short',
    'Unprocessed changes of the webhook that is furthest behind, and messages that were not delivered.',
    {
      behind: `max(${select('webhook_behind')})`,
      '{{state}}': `max by (state) (${select('webhook_messages')})`,
      webhooks: sum(select('webhooks_served'))
    }
  ),
  panel('Time of receivers', 's', '95 % of the attempts take less.', {
    '95 %': quantile(0.95, 'webhook_attempt_duration_seconds')
  })
]

const processes: Panel[] = [
  panel('Event loop', 'percentunit', 'Share of the time in which the event loop is at work.', {
    '{{instance}}': rate('event_loop_active_seconds_total')
  }),
  panel('Delay of the event loop', 's', 'How late timers are; all requests wait that long.', {
    '{{percentile}} %': `max by (percentile) (${select('event_loop_delay_seconds')})`
  }),
  panel('Processor', 'percentunit', 'Cores in use.', {
    '{{mode}}': sum(rate('process_cpu_seconds_total'), 'mode')
  }),
  panel('Memory', 'bytes', 'Resident memory, and parts of it.', {
    resident: sum(select('process_resident_memory_bytes')),
    'heap, {{state}}': sum(select('process_heap_bytes'), 'state'),
    'cached responses': sum(select('responses_cached_bytes')),
    'responses being sent': sum(select('graphql_pending_bytes'))
  }),
  panel('Garbage collection', 'percentunit', 'Share of the time spent in pauses.', {
    '{{kind}}': sum(rate('gc_duration_seconds_sum'), 'kind')
  }),
  panel('Connections and files', 'short', 'Connections of clients and open file descriptors.', {
    connections: sum(select('http_connections')),
    'file descriptors': sum(select('process_open_fds'))
  })
]

export const rows: Row[] = [
  { title: 'Traffic', panels: traffic },
  { title: 'GraphQL', panels: graphql },
  { title: 'Logins and tokens', panels: logins },
  { title: 'Store', panels: store },
  { title: 'Webhooks', panels: webhooks },
  { title: 'Process', panels: processes }
]
