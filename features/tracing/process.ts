import { randomUUID } from 'node:crypto'
import { setTimeout } from 'node:timers/promises'
import type { Sampler, SpanExporter } from '@opentelemetry/sdk-trace'
import type { FastifyBaseLogger, FastifyInstance } from 'fastify'
import type { ServiceOptions } from '../../options/index.ts'
import { StartError } from '../../runtime/host-errors.ts'
import type { Metrics } from '../../runtime/metrics/metrics.ts'
import { importOptional } from '../../runtime/package/optional-package.ts'
import { readVersion } from '../../runtime/package/package-files.ts'

/** Milliseconds for sending the last spans at the end of the process. */
const closeTimeoutMs = 1000
/** Minimum milliseconds between two log lines about a failing collector. */
const reportIntervalMs = 60_000

/**
 * Sends traces to a collector until the server closes, if the standard variables of OpenTelemetry switch this on.
 * Otherwise returns undefined and loads nothing. Registers nothing globally. Throws StartError for unsupported
 * settings and for missing packages.
 */
export async function beforeServe(
  app: FastifyInstance,
  metrics: Metrics
): Promise<ServiceOptions | undefined> {
  const settings = readTracingSettings(process.env, problem => app.log.warn(problem))
  if (!settings) return undefined
  const { sdk, resources, OTLPTraceExporter } = await loadPackages(settings)
  const exporter = watchExporter(new OTLPTraceExporter() as SpanExporter, app.log)
  metrics.onScrape(() => ({ trace_exports_failed_total: exporter.failed }))
  const own = resources.resourceFromAttributes({
    'service.name': 'product-templates',
    'service.version': readVersion(),
    'service.instance.id': randomUUID()
  })
  const provider = new sdk.TracerProvider({
    // OTEL_SERVICE_NAME and OTEL_RESOURCE_ATTRIBUTES.
    resource: own.merge(resources.detectResources({ detectors: [resources.envDetector] })),
    sampler: createSampler(sdk, settings),
    spanProcessors: [new sdk.BatchSpanProcessor({ exporter, ...settings.batches })]
  })
  app.addHook('onClose', async () => {
    const sent = provider.shutdown().catch(() => {})
    await Promise.race([sent, setTimeout(closeTimeoutMs, undefined, { ref: false })])
  })
  return { tracer: provider.getTracer('product-templates', readVersion()) }
}

type Sdk = typeof import('@opentelemetry/sdk-trace')

async function loadPackages({ protocol }: TracingSettings) {
  const encoding = protocol === 'http/json' ? 'http' : 'proto'
  const load = () =>
    Promise.all([
      import('@opentelemetry/sdk-trace'),
      import('@opentelemetry/resources'),
      encoding === 'http'
        ? import('@opentelemetry/exporter-trace-otlp-http')
        : import('@opentelemetry/exporter-trace-otlp-proto')
    ])
  const packages = ['api', 'sdk-trace', 'resources', `exporter-trace-otlp-${encoding}`]
  const install = `npm install ${packages.map(name => `@opentelemetry/${name}`).join(' ')}`
  const message = `traces are switched on by OTEL_… variables and need packages: \`${install}\``
  const [sdk, resources, { OTLPTraceExporter }] = await importOptional(
    load,
    cause => new StartError('PTS_BAD_OPTION', message, { cause })
  )
  return { sdk, resources, OTLPTraceExporter }
}

function createSampler(
  { AlwaysOnSampler, AlwaysOffSampler, ParentBasedSampler, TraceIdRatioBasedSampler }: Sdk,
  { sampler: { parentBased, decision, ratio } }: TracingSettings
): Sampler {
  const roots = { on: AlwaysOnSampler, off: AlwaysOffSampler }
  const root = decision === 'ratio' ? new TraceIdRatioBasedSampler(ratio) : new roots[decision]()
  return parentBased ? new ParentBasedSampler({ root }) : root
}

/** Counts and logs the batches that could not be exported. The SDK itself reports nothing. */
function watchExporter(inner: SpanExporter, log: FastifyBaseLogger) {
  let reportedAt = Number.NEGATIVE_INFINITY
  const watched: SpanExporter & { failed: number } = {
    failed: 0,
    export(spans, done) {
      inner.export(spans, result => {
        if (result.error) watched.failed++
        if (result.error && performance.now() - reportedAt > reportIntervalMs) {
          log.warn({ reason: result.error.message, spans: spans.length }, 'no collector accepted the traces')
          reportedAt = performance.now()
        }
        done(result)
      })
    },
    shutdown: () => inner.shutdown(),
    forceFlush: async () => inner.forceFlush?.()
  }
  return watched
}

/** The settings in the standard variables of OpenTelemetry. Its packages read those of the exporter themselves. */
type TracingSettings = NonNullable<ReturnType<typeof readTracingSettings>>

type Warn = (problem: string) => void

/** Reads the settings; undefined without traces. Unsupported values throw StartError; `warn` gets invalid ones. */
export function readTracingSettings(env: NodeJS.ProcessEnv, warn: Warn) {
  if (env.OTEL_SDK_DISABLED?.trim().toLowerCase() === 'true') return undefined
  const endpoint = env.OTEL_EXPORTER_OTLP_TRACES_ENDPOINT || env.OTEL_EXPORTER_OTLP_ENDPOINT
  const exporter = env.OTEL_TRACES_EXPORTER || (endpoint ? 'otlp' : 'none')
  if (exporter === 'none') return undefined
  if (exporter !== 'otlp') throw makeUnsupportedError('OTEL_TRACES_EXPORTER', exporter, 'otlp or none')
  const protocol =
    env.OTEL_EXPORTER_OTLP_TRACES_PROTOCOL || env.OTEL_EXPORTER_OTLP_PROTOCOL || 'http/protobuf'
  if (protocol !== 'http/protobuf' && protocol !== 'http/json')
    throw makeUnsupportedError('OTEL_EXPORTER_OTLP_PROTOCOL', protocol, 'http/protobuf or http/json')
  return { protocol, sampler: readSampler(env, warn), batches: readBatches(env, warn) }
}

const makeUnsupportedError = (name: string, value: string, supported: string) =>
  new StartError('PTS_BAD_OPTION', `${name} must be ${supported}, not ${JSON.stringify(value)}`)

const samplers = /^(parentbased_)?(?:always_(on|off)|traceidratio)$/

function readSampler(env: NodeJS.ProcessEnv, warn: Warn) {
  const name = env.OTEL_TRACES_SAMPLER || 'parentbased_always_on'
  const match = samplers.exec(name)
  // The specification of the variables says that an unknown value counts as absent.
  if (!match) warn(`OTEL_TRACES_SAMPLER is unknown and ignored: ${name}`)
  const [, parent, decision = 'ratio'] = match ?? ['', 'parentbased_', 'on']
  const given = env.OTEL_TRACES_SAMPLER_ARG
  const ratio = given ? Number(given) : 1
  const isRatio = ratio >= 0 && ratio <= 1
  if (!isRatio) warn(`OTEL_TRACES_SAMPLER_ARG must be from 0 to 1 and is ignored: ${given}`)
  const known = decision as 'on' | 'off' | 'ratio'
  return { parentBased: parent !== undefined, decision: known, ratio: isRatio ? ratio : 1 }
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
