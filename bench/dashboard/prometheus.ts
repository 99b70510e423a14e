import { type ChildProcess, spawn } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout } from 'node:timers/promises'

/** A line of a panel: labels, and values by time in seconds since 1970. */
export interface Series {
  labels: Record<string, string>
  values: [time: number, value: number][]
}

export interface Prometheus {
  /** Evaluates an expression at every second of a period. Throws Prometheus's error if the expression is invalid. */
  query(expression: string, from: number, to: number): Promise<Series[]>
  stop(): Promise<void>
}

/** Starts the installed Prometheus, which scrapes `target` every second. Throws if it is not installed. */
export async function startPrometheus(directory: string, target: string, port: number): Promise<Prometheus> {
  const config = {
    global: { scrape_interval: '1s' },
    scrape_configs: [{ job_name: 'product-templates', static_configs: [{ targets: [target] }] }]
  }
  const file = join(directory, 'prometheus.json')
  writeFileSync(file, JSON.stringify(config))
  const child = spawn(
    'prometheus',
    [
      `--config.file=${file}`,
      `--storage.tsdb.path=${join(directory, 'series')}`,
      `--web.listen-address=127.0.0.1:${port}`
    ],
    { stdio: 'ignore' }
  )
  const ended = new Promise<void>((resolve, reject) => {
    child.once('error', reject)
    child.once('exit', () => resolve())
  })
  const url = `http://127.0.0.1:${port}`
  await Promise.race([untilReady(url, child), ended])
  return {
    query: (expression, from, to) => queryRange(url, expression, from, to),
    async stop() {
      child.kill('SIGTERM')
      await ended
    }
  }
}

async function untilReady(url: string, child: ChildProcess): Promise<void> {
  while (child.exitCode === null) {
    const response = await fetch(`${url}/-/ready`).catch(() => undefined)
    if (response?.ok) return
    await setTimeout(100)
  }
  throw new Error('Prometheus ended at its start')
}

async function queryRange(url: string, query: string, from: number, to: number): Promise<Series[]> {
  const form = new URLSearchParams({ query, start: String(from), end: String(to), step: '1' })
  const response = await fetch(`${url}/api/v1/query_range`, { method: 'POST', body: form })
  const { data, error } = (await response.json()) as {
    error?: string
    data?: { result: { metric: Record<string, string>; values: [number, string][] }[] }
  }
  if (!data) throw new Error(`${query}: ${error}`)
  return data.result.map(({ metric, values }) => ({
    labels: metric,
    values: values.map(([time, value]) => [time, Number(value)])
  }))
}
