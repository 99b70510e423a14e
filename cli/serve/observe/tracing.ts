import { randomUUID } from 'node:crypto'
import { setTimeout } from 'node:timers/promises'
import type { Tracer } from '@opentelemetry/api'
import type { Sampler, SpanExporter } from '@opentelemetry/sdk-trace'
import type { FastifyBaseLogger, FastifyInstance } from 'fastify'
import { StartError } from '../../../errors.ts'
import type { Metrics } from '../../../metrics/metrics.ts'
import { readVersion } from '../../version.ts'
import { readTracingSettings, type TracingSettings } from './tracing-settings.ts'

/** Milliseconds that the last spans have at the end of the process. */
const closeTimeout = 1000
/** Milliseconds between lines about a collector that takes no spans. */
const reportInterval = 60_000

/**
 * Sends traces to a collector until the server closes, if the standard variables of OpenTelemetry say so; undefined
 * otherwise, with nothing loaded. Registers nothing globally. Throws StartError for settings that cannot be met and for
 * missing packages.
 */
export async function openTracing(app: FastifyInstance, figures: Metrics): Promise<Tracer | undefined> {
  const settings = readTracingSettings(process.env, problem => app.log.warn(problem))
  if (!settings) return undefined
  const { sdk, resources, OTLPTraceExporter } = await loadPackages(settings)
  const exporter = watchExporter(new OTLPTraceExporter() as SpanExporter, app.log)
  figures.onScrape(() => ({ trace_exports_failed_total: exporter.failed }))
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
    await Promise.race([sent, setTimeout(closeTimeout, undefined, { ref: false })])
  })
  return provider.getTracer('product-templates', readVersion())
}

async function loadPackages({ protocol }: TracingSettings) {
  const encoding = protocol === 'http/json' ? 'http' : 'proto'
  try {
    const [sdk, resources, { OTLPTraceExporter }] = await Promise.all([
      import('@opentelemetry/sdk-trace'),
      import('@opentelemetry/resources'),
      encoding === 'http'
        ? import('@opentelemetry/exporter-trace-otlp-http')
        : import('@opentelemetry/exporter-trace-otlp-proto')
    ])
    return { sdk, resources, OTLPTraceExporter }
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ERR_MODULE_NOT_FOUND') throw error
    const packages = ['api', 'sdk-trace', 'resources', `exporter-trace-otlp-${encoding}`]
    const install = `npm install ${packages.map(name => `@opentelemetry/${name}`).join(' ')}`
    const message = `traces are switched on by OTEL_… variables and need packages: \`${install}\``
    throw new StartError('PTS_BAD_OPTION', message, { cause: error })
  }
}

function createSampler(
  sdk: typeof import('@opentelemetry/sdk-trace'),
  { sampler: { parentBased, decision, ratio } }: TracingSettings
): Sampler {
  const roots = {
    on: () => new sdk.AlwaysOnSampler(),
    off: () => new sdk.AlwaysOffSampler(),
    ratio: () => new sdk.TraceIdRatioBasedSampler(ratio)
  }
  const root = roots[decision]()
  return parentBased ? new sdk.ParentBasedSampler({ root }) : root
}

/** Counts and logs the batches that no collector took: the SDK itself is silent. */
function watchExporter(inner: SpanExporter, log: FastifyBaseLogger) {
  let reportedAt = Number.NEGATIVE_INFINITY
  const watched: SpanExporter & { failed: number } = {
    failed: 0,
    export(spans, done) {
      inner.export(spans, result => {
        if (result.error) watched.failed++
        if (result.error && performance.now() - reportedAt > reportInterval) {
          log.warn({ reason: result.error.message, spans: spans.length }, 'no collector took the traces')
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
