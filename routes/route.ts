import type { FastifyInstance, RouteOptions } from 'fastify'
import type { ServiceSettings } from '../options.ts'

type RouteParts = Omit<RouteOptions, 'method' | 'url'>

/** A route without method and path, which are in the table of endpoints. It may be loaded only when it is wanted. */
export type Route = (app: FastifyInstance, settings: ServiceSettings) => RouteParts | Promise<RouteParts>
