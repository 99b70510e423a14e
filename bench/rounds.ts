import { type Row, summarise } from './results.ts'
import type { Sample, Started, Subject } from './subject.ts'

/** Seconds of load before the first round, so that Node.js has compiled hot code. */
const warmUp = 2

interface Measured {
  subject: Subject
  started: Started
  samples: Sample[]
}

/**
 * Measures the subjects in turn, A B C … A B C …, so that disturbances affect all of them. Each subject keeps its
 * process for all rounds.
 */
export async function measureInRounds(
  subjects: Subject[],
  { rounds, seconds }: { rounds: number; seconds: number },
  label: string
): Promise<Row[]> {
  const all: Measured[] = []
  try {
    for (const subject of subjects) all.push({ subject, started: await subject.start(), samples: [] })
    for (const { started } of all) await started.measure(Math.min(warmUp, seconds))
    for (let round = 1; round <= rounds; round++) {
      console.error(`${label}: round ${round} of ${rounds}`)
      for (const { started, samples } of all) samples.push(await started.measure(seconds))
    }
    return await Promise.all(
      all.map(async ({ subject, started, samples }) => {
        const compared = all.find(other => other.subject.name === subject.baseline)?.samples
        return summarise(subject, samples, compared, await started.countBytes?.())
      })
    )
  } finally {
    await Promise.all(all.map(({ started }) => started.stop()))
  }
}
