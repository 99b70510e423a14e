/** How the core goes through the list of features. */
import type { FastifyInstance } from 'fastify'
import type { Endpoint } from '../domain/rights.ts'
import type { ServiceOptions } from '../options/index.ts'
import type { Metrics } from '../runtime/metrics/metrics.ts'
import type { Doctor } from '../terminal/finding.ts'
import type { Feature, FeatureServer } from './feature.ts'
import * as list from './index.ts'

export const features = Object.values<Feature>(list)

/** The endpoints that tokens are for. */
export const tokenEndpoints = listTokenEndpoints(features)

/** Lists the endpoints that tokens are for if only the features that are on count. */
export const findTokenEndpoints = (settings: object): Endpoint[] =>
  listTokenEndpoints(features.filter(feature => isOn(feature, settings)))

function listTokenEndpoints(given: Feature[]): Endpoint[] {
  return ['/graphql', ...given.flatMap(({ tokensFor }) => tokensFor ?? [])]
}

const isOn = (feature: Feature, settings: object): boolean => !feature.isOn || feature.isOn(settings)

/** Loads what features need in a running service: those that are on, or all without settings. */
export async function loadServers(settings?: object): Promise<FeatureServer[]> {
  const wanted = features.filter(feature => !settings || isOn(feature, settings))
  const loaded = await Promise.all(wanted.map(({ server }) => server?.()))
  return loaded.flatMap(found => found?.server ?? [])
}

/**
 * Loads what changes the schema: of the features that are on. Those that are always on come first, because an option may
 * change the whole schema.
 */
export async function loadSchemaChanges(settings: object) {
  const wanted = features
    .filter(feature => isOn(feature, settings))
    .toSorted((one, other) => Number(Boolean(one.isOn)) - Number(Boolean(other.isOn)))
  const loaded = await Promise.all(wanted.map(({ schema }) => schema?.()))
  return loaded.flatMap(found => found ?? [])
}

/** Opens what features need in a process that serves. Returns their options for the service. */
export async function openProcess(app: FastifyInstance, metrics: Metrics): Promise<ServiceOptions> {
  const options: ServiceOptions = {}
  for (const { process } of features)
    if (process) Object.assign(options, await (await process()).openProcess(app, metrics))
  return options
}

/** Loads what features check. */
export async function loadDoctors(): Promise<Doctor[]> {
  const loaded = await Promise.all(features.map(({ doctor }) => doctor?.()))
  return loaded.flatMap(found => found?.doctor ?? [])
}
