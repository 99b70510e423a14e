import { randomUUID } from 'node:crypto'
import type { IncomingMessage } from 'node:http'

/** Ids of requests that are taken from clients: UUIDs, ULIDs, Base64 and the ids of proxies are such. */
const wellFormed = /^[\w.~+/=:-]{1,128}$/

/** Returns the id that the client or a proxy has given a request; a new one if it is absent or malformed. */
export function findRequestId({ headers }: IncomingMessage): string {
  const given = headers['x-request-id']
  return typeof given === 'string' && wellFormed.test(given) ? given : randomUUID()
}
