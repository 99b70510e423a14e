// Runs alone.
/**
 * Queries made from the schema: each answer of the service is that of a plain reference, to the byte; and lists that
 * are read while templates are written meet their filters. `npm run fuzz` runs it for longer, and with the seed of a
 * finding again.
 */
import { t } from 'tap'
import { runBusy } from '../reference/busy.ts'
import { noCounts, runRound } from '../reference/round.ts'
import { seed } from '../support/generated/seed.ts'

/** Seconds of both together, but at least a round of each. */
const seconds = Number(process.env.SECONDS ?? 0)
/** Batches of lists in a round. */
const batches = seconds > 0 ? 20 : 2

t.test('the service answers as the reference does', { timeout: 2000 * seconds + 1_500_000 }, async t => {
  const counts = noCounts()
  const end = performance.now() + 1000 * seconds
  for (let round = 0; round === 0 || (performance.now() < end && t.passing()); round++) {
    const used = seed + 1000 * round
    await t.test(`npm run fuzz -- --seed ${used}`, async t => {
      await runRound(t, used, counts)
      if (round % 10 === 0) await runBusy(t, used, batches, counts)
    })
  }
  t.comment(JSON.stringify(counts))
  t.ok(counts.answered > counts.operations / 2 && counts.lists > 0, 'most operations are answered')
})
