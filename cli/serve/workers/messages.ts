import type { StartErrorCode } from '../../../errors.ts'
import type { ProcessSettings } from '../../../options.ts'
import type { AddressCount } from '../../../plugins/siblings.ts'

/** The first message to a worker: what to run. */
export interface Start {
  type: 'start'
  settings: ProcessSettings
  upkeep: boolean
}

/** What a worker says once it listens. A Unix domain socket has no port. */
export interface Listening {
  type: 'listening'
  addresses: string[]
  origin: string
  port: number | undefined
}

/** Why a worker cannot start. `code` is that of a StartError. */
export interface Failed {
  type: 'failed'
  code?: StartErrorCode
  message: string
}

/** A request of an address to count; the answer has the same `id`. */
export interface Count {
  type: 'count'
  id: number
  address: string
  milliseconds: number
}

/** What a worker is asked about itself; the answer has the same `id`. */
export interface Question {
  type: 'question'
  id: number
  about: 'readiness'
}

export interface WorkerAnswer {
  type: 'answer'
  id: number
  value: unknown
}

export type ToWorker =
  | Question
  | Start
  | ({ type: 'counted'; id: number } & AddressCount)
  | { type: 'close' }
  | { type: 'reload' }
export type ToPrimary = WorkerAnswer | Listening | Failed | Count
