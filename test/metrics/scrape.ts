/** Metrics as a library reads them. */
import parse from 'parse-prometheus-text-format'
import { metricDefinitions } from '../../features/load.ts'

interface Scraped {
  /** Names of the metrics, without `_bucket`, `_sum` and `_count`. */
  names: string[]
  /** Returns the sum of the values with these labels; of a histogram, the number of what it counts. */
  sum(name: string, labels?: Record<string, string>): number
  text: string
}

export async function scrape(url: string, headers: Record<string, string> = {}): Promise<Scraped> {
  const response = await fetch(url, { headers })
  if (response.status !== 200) throw new Error(`status ${response.status}`)
  return parseMetrics(await response.text())
}

export function parseMetrics(text: string): Scraped {
  const families = parse(text)
  return {
    text,
    names: families.map(({ name }) => name),
    sum(name, labels = {}) {
      const family = families.find(family => family.name === `product_templates_${name}`)
      // What has not been counted yet is not there.
      if (!family && Object.hasOwn(metricDefinitions, name)) return 0
      if (!family) throw new Error(`there is no metric ${name}`)
      // The library merges the histograms of a name.
      const samples = family.type === 'HISTOGRAM' ? readCounts(text, family.name) : family.metrics
      return samples
        .filter(sample => Object.entries(labels).every(([label, value]) => sample.labels?.[label] === value))
        .reduce((sum, { value }) => sum + Number(value), 0)
    }
  }
}

function readCounts(text: string, name: string) {
  const lines = text.matchAll(new RegExp(`^${name}_count(?:\\{(.*)\\})? (\\S+)$`, 'gm'))
  return [...lines].map(([, labels = '', value]) => ({
    value,
    labels: Object.fromEntries(
      [...labels.matchAll(/(\w+)="([^"]*)"/g)].map(([, label, text]) => [label, text])
    )
  }))
}
