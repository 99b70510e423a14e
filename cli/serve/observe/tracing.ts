import { randomUUID } from 'node:crypto'
import type { Tracer } from '@opentelemetry/api'
import type { Sampler, SpanExporter } from '@opentelemetry/sdk-trace'
import type { FastifyBaseLogger } from 'fastify'
import { StartError } from '../../../errors.ts'
import { readVersion } from '../../version.ts'
import { readTracingSettings, type TracingSettings } from './tracing-settings.ts'

/** Traces that are sent to a collector. */
export interface Tracing {
  tracer: Tracer
  /** Batches of spans that no collector took. */
  readonly failed: number
  /** Sends what is left, for a short while. */
  close(): Promise<void>
}

/** Milliseconds that the last spans have at the end of the process. */
const closeTimeout = 1000
/** Milliseconds between lines about a collector that takes no spans. */
const reportInterval = 60_000

/**
 * Starts to send traces, if the standard variables of OpenTelemetry say so; undefined otherwise, with nothing loaded.
 * Registers nothing globally. Throws StartError for settings that cannot be met and for missing packages.
 */
export async function openTracing(
  env: NodeJS.ProcessEnv,
  log: Pick<FastifyBaseLogger, 'warn'>
): Promise<Tracing | undefined> {
  const settings = readTracingSettings(env, problem => log.warn(problem))
  if (!settings) return undefined
  const { sdk, resources, OTLPTraceExporter } = await loadPackages(settings)
  const exporter = watchExporter(new OTLPTraceExporter() as SpanExporter, log)
  const provider = new sdk.TracerProvider({
    resource: resources
      .resourceFromAttributes({
        'service.name': 'product-templates',
        'service.version': readVersion(),
        'service.instance.id': randomUUID()
      })
      // OTEL_SERVICE_NAME and OTEL_RESOURCE_ATTRIBUTES.
      .merge(resources.detectResources({ detectors: [resources.envDetector] })),
    sampler: createSampler(sdk, settings),
    spanProcessors: [new sdk.BatchSpanProcessor({ exporter, ...settings.batches })]
  })
  return {
    tracer: provider.getTracer('product-templates', readVersion()),
    get failed() {
      return exporter.failed
    },
    async close() {
      const late = Promise.withResolvers<void>()
      const timer = setTimeout(late.resolve, closeTimeout)
      await Promise.race([provider.shutdown().catch(() => {}), late.promise])
      clearTimeout(timer)
    }
  }
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

/** The SDK itself is silent about a collector that does not respond. */
function watchExporter(inner: SpanExporter, log: Pick<FastifyBaseLogger, 'warn'>) {
  let reportedAt = Number.NEGATIVE_INFINITY
  const watched: SpanExporter & { failed: number } = {
    failed: 0,
    export(spans, done) {
      inner.export(spans, result => {
        if (result.error) {
          watched.failed++
          const isNews = performance.now() - reportedAt > reportInterval
          if (isNews)
            log.warn({ reason: result.error.message, spans: spans.length }, 'no collector took the traces')
          if (isNews) reportedAt = performance.now()
        }
        done(result)
      })
    },
    shutdown: () => inner.shutdown(),
    forceFlush: async () => inner.forceFlush?.()
  }
  return watched
}
