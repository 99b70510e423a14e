// Runs in test:all only.
/**
 * Two processes change templates while subscribers and one of the processes are killed: nothing is missed, nothing
 * comes twice, and each template's changes come in order. SUBSCRIPTION_KILLS makes it longer.
 */
import { setTimeout } from 'node:timers/promises'
import { type Test, t } from 'tap'
import { releaseAllChanges } from '../../../db/templates/changes/changes.ts'
import { random } from '../../support/generated/seed.ts'
import { type Changed, changedText, subscriber } from '../../support/http/subscriber.ts'
import { renameBy, serveTwice } from '../../support/service/rename.ts'
import { until } from '../../support/until.ts'

/** Kills of an instance. */
const kills = Number(process.env.SUBSCRIPTION_KILLS ?? 1)
/** Changes that the readers get between two of them, all together. */
const changesBetween = 400
/** The same between two kills of a reader, at most. */
const changesOfReader = 60
const env = { ISSUER: 'https://templates.example.com', VALIDATION: 'off' }

interface Instance {
  url: string
}

/** A reader that goes on after its last change when it is killed, or its process is. */
function follow(
  t: Test,
  instances: Instance[],
  token: string,
  where: Record<string, unknown> | null,
  byHeader: boolean
) {
  const got: Changed[] = []
  let [connections, stopped] = [0, false]
  let kill = () => {}
  const begin = async () => {
    const after = got.at(-1)?.cursor ?? 'start'
    const { url } = instances[connections++ % instances.length] as Instance
    const client = subscriber(t, url, token, byHeader ? { 'Last-Event-ID': after } : {})
    kill = () => client.dispose()
    const variables = { where, after: byHeader ? 'start' : after }
    for await (const { data, errors } of client.iterate<{ productChanged: Changed }>({
      query: changedText,
      variables
    })) {
      if (errors || !data) throw new Error(JSON.stringify(errors))
      got.push(data.productChanged)
    }
  }
  const running = (async () => {
    while (!stopped) {
      await begin().catch(error => {
        // The process was killed, or is not there yet.
        if (error.name !== 'NetworkError') throw error
        return setTimeout(20)
      })
    }
  })()
  const stop = () => {
    stopped = true
    kill()
    return running
  }
  return { got, kill: () => kill(), stop, connections: () => connections }
}

t.test('nothing is missed and nothing comes twice, whoever is killed', async t => {
  const { db, start, instances, token } = await serveTwice(t, env)
  const ofA = { componentName: { equals: 'A' } }
  const all = [false, true].map(byHeader => follow(t, instances, token, null, byHeader))
  const some = [false, true].map(byHeader => follow(t, instances, token, ofA, byHeader))
  const readers = [...all, ...some]

  const stopWriting = renameBy(instances, token)
  let isOver = false
  const receive = async (more: number) => {
    const count = () => readers.reduce((sum, { got }) => sum + got.length, 0)
    const enough = count() + more
    await until(() => isOver || count() >= enough)
  }
  const killing = (async () => {
    while (!isOver) {
      await receive(random() * changesOfReader)
      readers[Math.floor(random() * readers.length)]?.kill()
    }
  })()
  for (let turn = 0; turn < kills; turn++) {
    await receive(changesBetween)
    instances[turn % 2]?.child.kill('SIGKILL')
    instances[turn % 2] = await start()
  }
  await receive(changesBetween)
  isOver = true
  await killing
  await stopWriting()
  await releaseAllChanges(db)

  const revisions = await db
    .selectFrom('product_revision')
    .select(['template_id as id', 'number', 'position'])
    .orderBy('position')
    .execute()
  const past = await db
    .selectFrom('product_template_past')
    .select(['template_id', 'number', 'component_name', 'name'])
    .execute()
  const current = await db
    .selectFrom('product_template')
    .select(['id', 'revision', 'component_name', 'name'])
    .execute()
  const contents = new Map<string, { component_name: string; name: string }>([
    ...past.map(row => [`${row.template_id}.${row.number}`, row] as const),
    ...current.map(row => [`${row.id}.${row.revision}`, row] as const)
  ])
  const expect = (matches: (row: { component_name: string } | undefined) => boolean) =>
    revisions.flatMap(({ id, number }) => {
      const found = contents.get(`${id}.${number}`)
      const [was, is] = [matches(contents.get(`${id}.${number - 1}`)), matches(found)]
      if (!was && !is) return []
      return [`${was && is ? 'UPDATE' : is ? 'INSERT' : 'DELETE'} ${id}.${number} ${is ? found?.name : null}`]
    })
  const told = ({ got }: { got: Changed[] }) =>
    got.map(
      ({ action, templateId, revision, contents }) =>
        `${action} ${templateId}.${revision} ${contents?.name ?? null}`
    )
  const expectations: [typeof all, string[]][] = [
    [all, expect(row => row !== undefined)],
    [some, expect(row => row?.component_name === 'A')]
  ]
  for (const [readers, expected] of expectations)
    for (const reader of readers) {
      await until(() => reader.got.length >= expected.length)
      t.same(told(reader), expected)
      await reader.stop()
    }
  const count = (numbers: number[]) => numbers.join(', ')
  t.comment(
    `${revisions.length} changes; received ${count(readers.map(({ got }) => got.length))} in ${count(readers.map(({ connections }) => connections()))} connections`
  )
})
