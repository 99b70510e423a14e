import type { Execution } from './execution.ts'

/**
 * What a resolver gets of its execution: the templates, and the rights of the caller. A kept response depends on these alone.
 */
export type Reading = Pick<
  Execution,
  | 'allowHere'
  | 'db'
  | 'findNames'
  | 'isCacheable'
  | 'parseDocument'
  | 'plan'
  | 'readDocument'
  | 'result'
  | 'rule'
  | 'scopes'
  | 'sees'
  | 'settings'
  | 'signal'
  | 'spend'
  | 'turn'
>

/** What a mutation, a subscription and a field of `requestQuery` get besides: who asks, and the database itself. */
export type RequestReading = Reading &
  Pick<
    Execution,
    'caller' | 'change' | 'isSecret' | 'links' | 'noteIfLate' | 'primary' | 'store' | 'subscription'
  >
