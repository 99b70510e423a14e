/** What all features give together. */
import type { FastifyBaseLogger, FastifyInstance } from 'fastify'
import { coreTables, type Tables } from '../db/tables.ts'
import type { ActionText } from '../domain/audit-actions.ts'
import type { SchemaChange } from '../graphql/api.ts'
import type { ServiceOptions, ServiceSettings } from '../options/index.ts'
import type { ServerAddition } from '../routes/server-addition.ts'
import { join } from '../runtime/join.ts'
import { type Definition, definitions } from '../runtime/metrics/definitions.ts'
import type { Metrics } from '../runtime/metrics/metrics.ts'
import type { Doctor } from '../terminal/finding.ts'
import type { Feature } from './feature.ts'
import * as list from './index.ts'

export const features = Object.values<Feature>(list)

/** The tables of the core, then of the features. */
export const tables: Tables = join('tables', coreTables, ...features.map(({ tables }) => tables))
/** The metrics of the core, then of the features. */
export const metricDefinitions: Record<string, Definition> = join(
  'metrics',
  definitions,
  ...features.map(({ metrics }) => metrics)
)
export const auditActionsOfFeatures: Record<string, ActionText> = join(
  'actions',
  ...features.map(({ auditActions }) => auditActions)
)

/** Lists the features that are on, or all without settings. */
const listEnabled = (settings: object | undefined): Feature[] =>
  features.filter(({ isOn }) => !settings || !isOn || isOn(settings))

/** Loads what features add to a running service: those that are on, or all without settings. */
export async function loadServerAdditions(settings?: object): Promise<ServerAddition[]> {
  const loaded = await Promise.all(listEnabled(settings).map(({ server }) => server?.()))
  return loaded.flatMap(found => found?.server ?? [])
}

/** Makes the verifiers of other issuers' tokens, by `iss`. */
export async function makeVerifiers(settings: ServiceSettings, log: FastifyBaseLogger) {
  const loaded = await Promise.all(listEnabled(settings).map(({ verifiers }) => verifiers?.()))
  const made = await Promise.all(loaded.map(found => found?.makeVerifiers(settings, log)))
  return new Map(made.flatMap(byIssuer => [...(byIssuer ?? [])]))
}

/** Loads what changes the schema, in its order: of the features that are on, or of all without settings. */
export async function loadSchemaChanges(settings?: object): Promise<SchemaChange[]> {
  const loaded = await Promise.all(listEnabled(settings).map(({ schema }) => schema?.()))
  return loaded
    .flatMap(found => found ?? [])
    .toSorted((one, other) => Number(one.isLast ?? false) - Number(other.isLast ?? false))
}

/** Opens what features need in a process that serves. Returns their options for the service. */
export async function openProcess(app: FastifyInstance, metrics: Metrics): Promise<ServiceOptions> {
  let options: ServiceOptions = {}
  for (const { beforeServe } of features)
    if (beforeServe) options = join('options', options, await (await beforeServe()).openProcess(app, metrics))
  return options
}

/** Loads what features check. */
export async function loadDoctors(): Promise<Doctor[]> {
  const loaded = await Promise.all(features.map(({ doctor }) => doctor?.()))
  return loaded.flatMap(found => found?.doctor ?? [])
}
