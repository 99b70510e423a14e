declare module 'parse-prometheus-text-format' {
  interface Family {
    name: string
    help: string
    type: 'COUNTER' | 'GAUGE' | 'HISTOGRAM'
    metrics: {
      value?: string
      count?: string
      sum?: string
      buckets?: Record<string, string>
      labels?: Record<string, string>
    }[]
  }
  export default function parse(text: string): Family[]
}
