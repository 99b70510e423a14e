/** What clients did, and when: milliseconds of one clock. */
interface Span {
  start: number
  end: number
}

/** Sets a key to a value: 1, 2, … One client writes a key. An unanswered write is its last. */
export interface Write extends Span {
  kind: 'write'
  key: string
  value: number
  isAcknowledged: boolean
}

/** 0 if the key was not there. */
export interface Read extends Span {
  kind: 'read'
  key: string
  value: number
  /** After all faults: what is missing now is lost. */
  isLast: boolean
}

/** Revokes a token. */
export interface Revocation extends Span {
  kind: 'revocation'
  token: string
  isAcknowledged: boolean
}

/** Uses an access token. */
export interface Use extends Span {
  kind: 'use'
  token: string
  isAccepted: boolean
}

/** Exchanges a refresh token for the next one. */
export interface Rotation extends Span {
  kind: 'rotation'
  token: string
  isAccepted: boolean
}

export type Entry = Write | Read | Revocation | Use | Rotation

export interface Violation {
  kind:
    | 'a write is lost'
    | 'a read is stale'
    | 'a value was never written'
    | 'a revoked token is accepted'
    | 'a valid token is refused'
    | 'a refresh token works twice'
  /** What contradicts what came before. */
  entry: Entry
}
