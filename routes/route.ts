import type { FastifyInstance, RouteOptions } from 'fastify'
import type { ServiceSettings } from '../options.ts'

/** A route without method and path, which are in the table of endpoints. */
export type Route = (app: FastifyInstance, settings: ServiceSettings) => Omit<RouteOptions, 'method' | 'url'>
