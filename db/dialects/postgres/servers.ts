import type { Socket } from 'node:net'
import { setImmediate } from 'node:timers/promises'
import type pg from 'pg'
import { addParameter, findAttributes, hostUrls, type SessionAttributes } from '../../url.ts'
import { codeOf, isServerError } from '../faults.ts'

/** The state of a connection. Since PostgreSQL 14, its server reports the optional properties. */
interface Session {
  /** See `#generation` of {@link Servers}. */
  generation: number
  /** `in_hot_standby`. */
  standby?: boolean
  /** `default_transaction_read_only`. */
  readOnly?: boolean
}

/** A message ParameterStatus: PostgreSQL, "Message Formats". */
interface ParameterStatus {
  parameterName: string
  parameterValue: string
}

/** Milliseconds in which a server must answer if it seems to hang or if there are other servers. */
const hangTimeout = 1000
/** How often a server may be too slow to open a connection before it counts as hanging. */
const maxSlowProbes = 3

/**
 * The servers of a URL. Connections go to one of them until it fails or does not have the role that
 * `target_session_attrs` requires. Then they go to the next one.
 */
export class Servers {
  /** The class of clients that connect to the current server. */
  readonly Client: typeof pg.Client
  /** Attempts to connect. With `prefer-standby`, a second round accepts primaries. */
  readonly tries: number
  readonly #urls: string[]
  readonly #options: pg.ClientConfig
  readonly #attributes: SessionAttributes
  #current = 0
  /** Servers that failed since the last connection. */
  #failures = 0
  /** Raised to discard all connections: a connection of an earlier generation is not used any more. */
  #generation = 0
  readonly #sessions = new Map<pg.ClientBase, Session>()
  #probing: Promise<void> | undefined

  /** `options` apply to all connections. */
  constructor(url: string, Client: typeof pg.Client, options: pg.ClientConfig) {
    this.#urls = hostUrls(url)
    this.#options = options
    this.#attributes = findAttributes(url) ?? 'primary'
    this.tries = this.#urls.length * (this.#attributes === 'prefer-standby' ? 2 : 1)
    this.Client = this.#extend(Client)
  }

  /** The URL for the next connection. */
  get url(): string {
    return this.#urls[this.#current] as string
  }

  #extend(Client: typeof pg.Client): typeof pg.Client {
    const servers = this
    return class extends Client {
      constructor(config: pg.ClientConfig) {
        const { connectionTimeoutMillis = hangTimeout } = config
        const most = servers.#urls.length > 1 ? hangTimeout : connectionTimeoutMillis
        super({
          ...config,
          connectionTimeoutMillis: Math.min(connectionTimeoutMillis, most),
          // Gives `sslmode` its documented meaning: `require` encrypts, `verify-full` also checks the server.
          connectionString: addParameter(servers.url, 'uselibpqcompat', 'true')
        })
        const session: Session = { generation: servers.#generation }
        servers.#sessions.set(this, session)
        this.once('end', () => servers.#sessions.delete(this))
        this.connection.on('parameterStatus', ({ parameterName: name, parameterValue }: ParameterStatus) => {
          if (name === 'in_hot_standby') session.standby = parameterValue === 'on'
          if (name === 'default_transaction_read_only') session.readOnly = parameterValue === 'on'
        })
      }
    }
  }

  /**
   * Rejects if the server of a new connection does not have the required role. One check per connection is enough: a
   * primary becomes a standby only by a restart.
   */
  async check(client: pg.ClientBase): Promise<void> {
    if (this.#attributes === 'any') return
    const session = this.#sessions.get(client)
    const { standby, readOnly = false } = session?.standby === undefined ? await askRole(client) : session
    if (!this.#accepts(standby === true, readOnly)) {
      const role = standby ? 'a standby' : readOnly ? 'read-only' : 'a primary'
      const message = `the server is ${role}, and target_session_attrs is ${this.#attributes}`
      throw Object.assign(new Error(message), { code: wrongServer })
    }
    this.#failures = 0
  }

  /** libpq, "target_session_attrs". */
  #accepts(standby: boolean, readOnly: boolean): boolean {
    const accepts: Record<SessionAttributes, boolean> = {
      any: true,
      primary: !standby,
      standby,
      'read-write': !standby && !readOnly,
      'read-only': standby || readOnly,
      'prefer-standby': standby || this.#failures >= this.#urls.length
    }
    return accepts[this.#attributes]
  }

  /** Whether a connection may still be used. */
  isCurrent(client: pg.ClientBase): boolean {
    return this.#sessions.get(client)?.generation === this.#generation
  }

  /** Moves to the next server, if connections still go to this one. */
  leave(url: string): void {
    if (url !== this.url) return
    this.#failures++
    this.#current = (this.#current + 1) % this.#urls.length
  }

  /**
   * Finds out by a new connection whether the server still answers and has the required role. If not, all connections
   * end, and their statements reject. While a server under load answers other connections, it is only slow: to end them
   * would undo what they do, and add the load of new ones.
   */
  probe(): Promise<void> {
    this.#probing ??= this.#probe().finally(() => {
      this.#probing = undefined
    })
    return this.#probing
  }

  async #probe(patience = maxSlowProbes): Promise<void> {
    const { url } = this
    // Connections to a former server say nothing about this one.
    const others = [...this.#sessions.keys()].filter(client => this.isCurrent(client))
    const received = countReceived(others)
    const timeouts = { connectionTimeoutMillis: hangTimeout, query_timeout: hangTimeout }
    const client = new this.Client({ ...this.#options, ...timeouts })
    // With TLS, another stream takes its place, which has no bytes before the handshake is complete.
    const socket = client.connection.stream as Socket
    client.on('error', () => {})
    try {
      await client.connect()
      await this.check(client)
      await client.query('select 1')
    } catch (error) {
      if (isFromWorkingServer(error)) return
      // If this process was busy, the answers are still to be read.
      await setImmediate()
      if (isTimeout(error) && countReceived(others) > received) return this.#probe()
      // A server that has begun to answer does not hang. But a pooler may have answered for it, so not for ever.
      const isSlow = isConnectTimeout(error) && socket.bytesRead > 0
      if (isSlow && patience > 0) return this.#probe(patience - 1)
      this.leave(url)
      this.discard()
      for (const client of this.#sessions.keys()) disconnect(client)
    } finally {
      disconnect(client)
    }
  }

  /** Discards all connections, after one of them showed that its server is gone or has another role. */
  discard(): void {
    this.#generation++
  }
}

/** Counts the bytes that connections have received so far. */
const countReceived = (clients: pg.ClientBase[]): number =>
  clients.reduce((sum, client) => sum + ((client as pg.Client).connection.stream as Socket).bytesRead, 0)

/** Whether a connection was not open in time. */
const isConnectTimeout = (error: unknown): boolean => (error as Error).message === 'timeout expired'

/** Whether a server has not answered in time. */
const isTimeout = (error: unknown): boolean =>
  isConnectTimeout(error) || (error as Error).message === 'Query read timeout'

/** Ends a connection without a message to its server, which may hang. */
const disconnect = (client: pg.ClientBase): void => {
  ;(client as pg.Client).connection.stream.destroy()
}

/** Whether the error came from a server that works, such as one that has no free connection. */
const isFromWorkingServer = (error: unknown): boolean =>
  isServerError(error) && !codeOf(error).startsWith('57P')

/** The SQLSTATE for "server rejected the connection". */
const wrongServer = '08004'

/** Asks a server for its role. Before PostgreSQL 14, and behind a pooler, servers do not report it. */
async function askRole(client: pg.ClientBase): Promise<{ standby: boolean; readOnly: boolean }> {
  const { rows } = await client.query(
    `select pg_is_in_recovery() as standby, current_setting('default_transaction_read_only') = 'on' as "readOnly"`
  )
  return rows[0]
}
