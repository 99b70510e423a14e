import { writeFileSync } from 'node:fs'
import autocannon from 'autocannon'
import { accessToken } from './credentials.ts'
import { loadIndexed } from './loading.ts'
import { kinds } from './reading-queries.ts'
import { describeRun } from './report.ts'
import { startService } from './servers.ts'

type Service = Awaited<ReturnType<typeof startService>>

/** Reads `count` pages on each engine, and writes the memory before and after to bench/memory.md. */
export async function soakEngines(
  engines: Map<string, (name: string) => string>,
  templates: number,
  count: number
): Promise<void> {
  const rows: string[] = []
  for (const [engine, url] of engines) {
    await loadIndexed(url('indexed'), templates)
    const service = await startService(url('indexed'), [], { env: { GRAPHQL_RESPONSE_CACHE_SIZE: '0' } })
    await soak(service, 1000)
    const before = service.mebibytes()
    await soak(service, count)
    const after = service.mebibytes()
    rows.push(
      `| ${engine} | ${before.toFixed()} MiB | ${after.toFixed()} MiB | ${(after / before).toFixed(2)} |`
    )
    console.log(rows.at(-1))
    await service.stop()
  }
  report(templates, count, rows)
}

/** Reads `count` pages, cycling through the fast kinds of query. */
async function soak({ url }: Service, count: number): Promise<void> {
  const pages = Object.entries(kinds).filter(([name]) => !/facets|totalCount|contains/.test(name))
  await autocannon({
    url: `${url}/graphql`,
    method: 'POST',
    headers: { authorization: `Bearer ${await accessToken(url)}`, 'content-type': 'application/json' },
    connections: 4,
    amount: count,
    requests: pages.map(([, query]) => ({ body: JSON.stringify(query) }))
  })
}

function report(templates: number, count: number, rows: string[]): void {
  const text = `# Memory over many pages

\`npm run bench:reading -- --soak ${count}\` wrote this page on ${describeRun()}.
${templates.toLocaleString('en')} templates, pages of 50, cycling through all kinds in [reading.md](reading.md) except facets,
counts and \`contains\`. Resident memory of the service (\`VmRSS\`).

| | after 1,000 pages | after ${count.toLocaleString('en')} | factor |
| --- | --- | --- | --- |
${rows.join('\n')}
`
  writeFileSync(new URL('memory.md', import.meta.url), text)
}
