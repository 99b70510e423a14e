import fp from 'fastify-plugin'
import type { ServiceSettings } from '../../options.ts'
import { boundPendingResponses } from '../graphql/protocol.ts'

/** Bounds the memory of the responses like that of GraphQL responses. */
export const metadataProtocol = fp<ServiceSettings>(
  async (app, settings) => boundPendingResponses(app, settings),
  { name: 'product-metadata-protocol', fastify: '5.x' }
)
