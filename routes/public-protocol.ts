import fp from 'fastify-plugin'
import type { ServiceSettings } from '../options.ts'
import { boundPendingResponses } from './responses/pending-responses.ts'

/** Bounds the memory of the responses that need no token, like that of GraphQL responses. */
export const publicProtocol = fp<ServiceSettings>(
  async (app, settings) => boundPendingResponses(app, settings),
  { name: 'product-public-protocol', fastify: '5.x' }
)
