import type { Test } from 'tap'
import { onServer } from '../../support/database/database.ts'
import { type Proxy as Network, proxy } from '../../support/http/proxy.ts'
import { makeSynchronous } from '../../support/postgres/pair.ts'
import {
  connectionTo,
  type PostgresServer,
  startAsStandby,
  startPostgres,
  startStandby
} from '../../support/postgres/postgres.ts'
import { until } from '../../support/until.ts'
import { copyRunning } from './copy.ts'

/** A server, the network that leads the service to it, and the one that leads its standby to it. */
export interface Place {
  server: PostgresServer
  front: Network
  back: Network
}

/** So that servers find each other again soon. */
const settings = {
  wal_keep_size: '1GB',
  wal_retrieve_retry_interval: '100ms',
  wal_receiver_timeout: '2s',
  wal_sender_timeout: '2s'
}

/** A primary and its synchronous standby, which change roles. While the standby has not all, nothing must fail. */
export class Servers {
  primary: Place
  standby: Place

  private constructor(primary: Place, standby: Place) {
    this.primary = primary
    this.standby = standby
  }

  static async start(t: Test): Promise<Servers> {
    // Each follows the other if it is the standby.
    const [back, otherBack] = await Promise.all([proxy(t, 0), proxy(t, 0)])
    const server = await startPostgres({ ...settings, primary_conninfo: connectionTo(otherBack.port) })
    t.teardown(() => server.stop())
    back.lead(server.port)
    const other = await startStandby(server, back.port, settings)
    t.teardown(() => other.stop())
    otherBack.lead(other.port)
    const front = await proxy(t, server.port)
    const otherFront = await proxy(t, other.port)
    return new Servers({ server, front, back }, { server: other, front: otherFront, back: otherBack })
  }

  get places(): [Place, Place] {
    return [this.primary, this.standby]
  }

  /** Waits until the standby has all that was acknowledged, and will have all that is. */
  async synchronize(): Promise<void> {
    const { url } = this.primary.server
    await makeSynchronous(this.primary.server)
    // A commit, which waits for those before.
    await onServer(url, `select pg_logical_emit_message(true, 'synchronize', '')`)
  }

  /** Kills or stops the primary and promotes the standby. The former primary never runs again before it is a copy. */
  async failOver(signal: 'SIGKILL' | 'SIGSTOP', detection: () => Promise<void>): Promise<void> {
    const { server } = this.primary
    server.signal(signal)
    await detection()
    await this.#promote()
    if (signal === 'SIGSTOP') server.signal('SIGKILL')
    await copyRunning(this.primary.server, server)
    await startAsStandby(server)
    await this.synchronize()
  }

  /** Ends the primary in good order, promotes the standby, and lets the former primary follow it. */
  async switchOver(): Promise<void> {
    const { server } = this.primary
    // The end waits only for a standby that is connected.
    await this.synchronize()
    await server.end()
    await this.#promote()
    await startAsStandby(server)
    await this.synchronize()
  }

  async #promote(): Promise<void> {
    const { url } = this.standby.server
    // The next standby has to be there first.
    await onServer(url, 'alter system reset synchronous_standby_names')
    await onServer(url, 'select pg_reload_conf()')
    // A statement that waits on a standby may be canceled, when it replays what removes rows.
    await onServer(url, 'select pg_promote(false)')
    await until(() => isPrimary(url))
    ;[this.primary, this.standby] = [this.standby, this.primary]
  }

  /** Kills a server, and starts it again in the same role. */
  async crash({ server }: Place): Promise<void> {
    server.signal('SIGKILL')
    if (server === this.standby.server) await startAsStandby(server)
    else await server.start()
    await this.synchronize()
  }
}

const isPrimary = (url: string): Promise<boolean> =>
  onServer(url, 'select pg_is_in_recovery() as standby').then(
    ({ rows }) => rows[0].standby === false,
    () => false
  )
