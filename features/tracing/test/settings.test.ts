// Runs on SQLite only, in test:all only.
import { t } from 'tap'
import { readTracingSettings } from '../process.ts'
import { formatTraceparent, parseTraceparent } from '../server.ts'

const id = '4bf92f3577b34da6a3ce929d0e0e4736'
const span = '00f067aa0ba902b7'

t.test('a traceparent is read as W3C Trace Context says', async t => {
  const sampled = { traceId: id, spanId: span, traceFlags: 1 }
  t.same(parseTraceparent(`00-${id}-${span}-01`), sampled)
  t.same(parseTraceparent(`00-${id}-${span}-00`), { ...sampled, traceFlags: 0 })
  t.same(parseTraceparent(`00-${id}-${span}-03`), sampled, 'unknown flags do not matter')
  t.same(parseTraceparent(`01-${id}-${span}-01-more`), sampled, 'a later version may have more')
  t.equal(formatTraceparent(sampled), `00-${id}-${span}-01`)
  for (const wrong of [
    undefined,
    '',
    `00-${id}-${span}`,
    `00-${id}-${span}-01-more`,
    `ff-${id}-${span}-01`,
    `00-${id.toUpperCase()}-${span}-01`,
    `00-${'0'.repeat(32)}-${span}-01`,
    `00-${id}-${'0'.repeat(16)}-01`,
    `00-${id}-${span}-01, 00-${id}-${span}-01`,
    ` 00-${id}-${span}-01`
  ])
    t.equal(parseTraceparent(wrong), undefined, String(wrong))
})

t.test('the standard variables switch traces on and off', async t => {
  const read = (env: Record<string, string>) => {
    const problems: string[] = []
    return { settings: readTracingSettings(env, problem => problems.push(problem)), problems }
  }
  const on = { OTEL_EXPORTER_OTLP_ENDPOINT: 'http://collector:4318' }
  for (const off of [
    {},
    { OTEL_SERVICE_NAME: 'shop' },
    { ...on, OTEL_SDK_DISABLED: 'true' },
    { ...on, OTEL_SDK_DISABLED: 'TRUE' },
    { ...on, OTEL_TRACES_EXPORTER: 'none' },
    { OTEL_EXPORTER_OTLP_ENDPOINT: '' }
  ])
    t.equal(read(off).settings, undefined)
  t.same(read(on), {
    settings: {
      protocol: 'http/protobuf',
      sampler: { parentBased: true, decision: 'on', ratio: 1 },
      batches: {}
    },
    problems: []
  })
  t.ok(read({ OTEL_TRACES_EXPORTER: 'otlp' }).settings)
  t.throws(() => read({ OTEL_TRACES_EXPORTER: 'zipkin' }), { code: 'PTS_BAD_OPTION' })
  const sampler = (name: string, arg = '') =>
    read({ ...on, OTEL_TRACES_SAMPLER: name, OTEL_TRACES_SAMPLER_ARG: arg }).settings?.sampler
  t.same(sampler('always_off'), { parentBased: false, decision: 'off', ratio: 1 })
  t.same(sampler('parentbased_traceidratio', '0.25'), { parentBased: true, decision: 'ratio', ratio: 0.25 })
  t.same(sampler('traceidratio'), { parentBased: false, decision: 'ratio', ratio: 1 })
  t.same(sampler('jaeger_remote'), { parentBased: true, decision: 'on', ratio: 1 })
  const wrong = {
    ...on,
    OTEL_TRACES_SAMPLER_ARG: '2',
    OTEL_BSP_MAX_QUEUE_SIZE: '-1',
    OTEL_BSP_SCHEDULE_DELAY: '100'
  }
  t.match(read(wrong), { settings: { batches: { scheduledDelayMillis: 100 } }, problems: { length: 2 } })
})
