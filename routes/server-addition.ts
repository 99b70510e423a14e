import type { FastifyInstance, FastifyPluginCallback } from 'fastify'
import type { HostOptions } from '../options/host.ts'
import type { ServiceSettings } from '../options/index.ts'
import type { DocumentFinder } from './graphql/request.ts'
import type { LoginMethod } from './oauth/authorize/login.ts'
import type { FindDescribedClient } from './oauth/described-clients.ts'
import type { PathItem } from './route.ts'

declare module 'fastify' {
  interface FastifyInstance {
    /** The additions of the features that are on. */
    productServerAdditions: ServerAddition[]
  }
}

/**
 * What a feature adds to a running service: `server` of its `server.ts`. The settings that the functions get include
 * those of the feature.
 */
export interface ServerAddition {
  /** Opens it after the store and the feed of changes, and before the endpoints. */
  plugin?: FastifyPluginCallback<ServiceSettings & Pick<HostOptions, 'tracer'>>
  /** Its endpoints by their paths. */
  endpoints?: Record<`/${string}`, PathItem>
  /** Makes its ways to log in on the login page, beside the password. */
  loginMethods?(app: FastifyInstance): LoginMethod[]
  /** Whether it serves the pictures that templates link to, so that the explorer needs no gateway. */
  servesPictures?(app: FastifyInstance, settings: ServiceSettings): boolean
  /** Makes the finder of documents that requests name instead of sending them, which only one feature may give. */
  makeDocumentFinder?(app: FastifyInstance, settings: ServiceSettings): Promise<DocumentFinder>
  /** Finds a client that nobody has registered, by an id that is a URL. */
  findDescribedClient?: FindDescribedClient
}
