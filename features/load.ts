/** What all features give together. */
import { coreTables, type Tables } from '../db/tables.ts'
import type { ActionText } from '../domain/audit-actions.ts'
import { join } from '../runtime/join.ts'
import { type Definition, definitions } from '../runtime/metrics/definitions.ts'
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

/** The type of a part that is imported when it is needed. */
type Part<Name extends keyof Feature> = Feature[Name] extends
  | (() => Promise<{ [Key in Name]: infer Loaded }>)
  | undefined
  ? Loaded
  : never

/** Loads a part of each feature that is on, or of all features without settings. Its file exports it by this name. */
export async function loadParts<
  Name extends 'beforeServe' | 'doctor' | 'makeVerifiers' | 'schema' | 'server'
>(name: Name, settings?: object): Promise<Part<Name>[]> {
  const enabled = features.filter(({ isOn }) => !settings || !isOn || isOn(settings))
  const files = await Promise.all(enabled.map(feature => feature[name]?.()))
  return files.flatMap(file => (file ? (file as { [Key in Name]: Part<Name> })[name] : []))
}
