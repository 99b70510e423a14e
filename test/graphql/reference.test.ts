// Runs alone.
/**
 * Queries made from the schema: each answer of the service is that of a plain reference, to the byte; and lists that are read
 * while templates are written meet their filters. `npm run fuzz` runs it for longer, and with the seed of a finding again.
 */
import { t } from 'tap'
import { runBusy } from '../reference/busy.ts'
import { noCounts, runRound } from '../reference/round.ts'

/** Seconds of both together, on each engine. */
const seconds = Number(process.env.SECONDS ?? 2)
const seed = process.env.SEED === undefined ? undefined : Number(process.env.SEED)
/** Milliseconds of a round of lists. */
const busyTime = Math.min(10_000, 500 * seconds)

t.test('the service answers as the reference does', { timeout: 2000 * seconds + 300_000 }, async t => {
  const counts = noCounts()
  const end = performance.now() + 1000 * seconds
  for (let round = 0; round === 0 || (performance.now() < end && t.passing()); round++) {
    const used = seed ?? Math.floor(Math.random() * 2 ** 30)
    await t.test(`npm run fuzz -- --seed ${used}`, async t => {
      await runRound(t, used, counts)
      if (seed !== undefined || round % 10 === 0) await runBusy(t, used, busyTime, counts)
    })
    if (seed !== undefined) break
  }
  t.comment(JSON.stringify(counts))
  t.ok(counts.answered > counts.operations / 2 && counts.lists > 0, 'most operations are answered')
})
