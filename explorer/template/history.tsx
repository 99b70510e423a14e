import { useEffect, useState } from 'preact/hooks'
import { mayWrite } from '../api.ts'
import { Loading } from '../parts/loading.tsx'
import { busy, useBusy } from '../parts/use-busy.ts'
import { hrefOf, navigate, readInteger } from '../route.ts'
import { Comparison } from './comparison.tsx'
import './history.css'
import { type FullTemplate, type Revision, readRevisions } from './read.ts'
import { Restore } from './restore.tsx'
import { Timeline } from './timeline.tsx'

interface Props {
  template: FullTemplate
  params: URLSearchParams
  onRestored: () => void
}

/** The revisions, and the difference of the chosen one. */
export function History({ template, params, onRestored }: Props) {
  const { id, revision: current } = template
  const [revisions, setRevisions] = useState<Revision[]>([])
  const [next, setNext] = useState<string>()
  const [isBusy, runOnce] = useBusy()
  const load = async (after?: string) => {
    const { nodes, pageInfo } = await readRevisions(id, after)
    setRevisions(known => (after === undefined ? nodes : [...known, ...nodes]))
    setNext(pageInfo.hasNextPage ? (pageInfo.endCursor ?? undefined) : undefined)
  }
  useEffect(() => {
    load().catch(() => {})
  }, [id, current])
  const readRevision = (name: string) => {
    const number = readInteger(params.get(name)) ?? 0
    return number >= 1 && number <= current ? number : undefined
  }
  const chosen = readRevision('revision') ?? current
  const base = readRevision('from') ?? chosen - 1
  const isDeletion = revisions.some(({ number, action }) => number === chosen && action === 'DELETE')
  return (
    <div class="history">
      <div>
        {revisions.length === 0 && <Loading />}
        <Timeline id={id} revisions={revisions} chosen={chosen} />
        {next !== undefined && (
          <button
            type="button"
            class="button"
            {...busy(isBusy)}
            onClick={() => runOnce(() => load(next).catch(() => {}))}
          >
            Older revisions
          </button>
        )}
      </div>
      <div>
        <div class="bar">
          <h2>{base < 1 ? `Revision ${chosen}, the first` : `From revision ${base} to ${chosen}`}</h2>
          {current > 1 && (
            <CompareWith
              numbers={revisions.map(({ number }) => number).filter(number => number !== chosen)}
              base={base}
              onChoose={number => navigate(hrefOf(['templates', id, 'history'], compareWith(number, chosen)))}
            />
          )}
          {mayWrite() && chosen < current && !isDeletion && (
            <Restore id={id} revision={chosen} current={current} onRestored={onRestored} />
          )}
        </div>
        <Comparison key={`${base} ${chosen}`} id={id} from={base} to={chosen} />
      </div>
    </div>
  )
}

interface CompareProps {
  numbers: number[]
  base: number
  onChoose: (number: number) => void
}

/** Chooses the revision that the chosen one is compared with. */
const CompareWith = ({ numbers, base, onChoose }: CompareProps) => (
  <label class="compare">
    <span class="muted">Compare with</span>
    <select
      class="field"
      value={base < 1 ? '' : base}
      onChange={event => onChoose(Number(event.currentTarget.value))}
    >
      {base < 1 && <option value="">nothing</option>}
      {[...new Set(base < 1 ? numbers : [base, ...numbers])]
        .toSorted((one, other) => other - one)
        .map(number => (
          <option key={number} value={number}>
            revision {number}
          </option>
        ))}
    </select>
  </label>
)

const compareWith = (from: number, revision: number) =>
  new URLSearchParams({ from: String(from), revision: String(revision) })
