import { StartError } from '../../../errors.ts'

/** What the standard variables of OpenTelemetry say about traces. Its packages read those of the exporter themselves. */
export type TracingSettings = NonNullable<ReturnType<typeof readTracingSettings>>

type Warn = (problem: string) => void

/** Reads them; undefined if traces are off. Throws StartError for what is not supported; `warn` of invalid values. */
export function readTracingSettings(env: NodeJS.ProcessEnv, warn: Warn) {
  if (env.OTEL_SDK_DISABLED?.trim().toLowerCase() === 'true') return undefined
  const endpoint = env.OTEL_EXPORTER_OTLP_TRACES_ENDPOINT || env.OTEL_EXPORTER_OTLP_ENDPOINT
  const exporter = env.OTEL_TRACES_EXPORTER || (endpoint ? 'otlp' : 'none')
  if (exporter === 'none') return undefined
  if (exporter !== 'otlp') throw notSupported('OTEL_TRACES_EXPORTER', exporter, 'otlp or none')
  const protocol =
    env.OTEL_EXPORTER_OTLP_TRACES_PROTOCOL || env.OTEL_EXPORTER_OTLP_PROTOCOL || 'http/protobuf'
  if (protocol !== 'http/protobuf' && protocol !== 'http/json')
    throw notSupported('OTEL_EXPORTER_OTLP_PROTOCOL', protocol, 'http/protobuf or http/json')
  return { protocol, sampler: readSampler(env, warn), batches: readBatches(env, warn) }
}

const notSupported = (name: string, value: string, supported: string) =>
  new StartError('PTS_BAD_OPTION', `${name} must be ${supported}, not ${JSON.stringify(value)}`)

const samplers = /^(parentbased_)?(?:always_(on|off)|traceidratio)$/

function readSampler(env: NodeJS.ProcessEnv, warn: Warn) {
  const name = env.OTEL_TRACES_SAMPLER || 'parentbased_always_on'
  const match = samplers.exec(name)
  // As the specification of the variables says, an unknown value counts as absent.
  if (!match) warn(`OTEL_TRACES_SAMPLER is unknown and ignored: ${name}`)
  const [, parent, decision = 'ratio'] = match ?? ['', 'parentbased_', 'on']
  const given = env.OTEL_TRACES_SAMPLER_ARG
  const ratio = given ? Number(given) : 1
  const isRatio = ratio >= 0 && ratio <= 1
  if (!isRatio) warn(`OTEL_TRACES_SAMPLER_ARG must be from 0 to 1 and is ignored: ${given}`)
  return {
    parentBased: parent !== undefined,
    decision: decision as 'on' | 'off' | 'ratio',
    ratio: isRatio ? ratio : 1
  }
}

const batchNames = {
  OTEL_BSP_SCHEDULE_DELAY: 'scheduledDelayMillis',
  OTEL_BSP_EXPORT_TIMEOUT: 'exportTimeoutMillis',
  OTEL_BSP_MAX_QUEUE_SIZE: 'maxQueueSize',
  OTEL_BSP_MAX_EXPORT_BATCH_SIZE: 'maxExportBatchSize'
} as const

function readBatches(env: NodeJS.ProcessEnv, warn: Warn) {
  const batches: Partial<Record<(typeof batchNames)[keyof typeof batchNames], number>> = {}
  for (const [name, option] of Object.entries(batchNames)) {
    const text = env[name]
    if (!text) continue
    if (/^[1-9]\d{0,8}$/.test(text)) batches[option] = Number(text)
    else warn(`${name} must be a positive number and is ignored: ${text}`)
  }
  return batches
}
