import { mayWrite } from '../api.ts'
import { describeAuthor } from '../format.ts'
import { hrefOf, navigate, readInteger } from '../route.ts'
import { Select } from '../ui/inputs.tsx'
import { ListEnd } from '../ui/reading.tsx'
import { Time } from '../ui/time.tsx'
import { toListPage, useList } from '../ui/use-read.ts'
import { Comparison } from './comparison.tsx'
import { type FullTemplate, type Revision, readRevisions } from './read.ts'
import { Restore } from './restore.tsx'
import './history.css'

interface Props {
  template: FullTemplate
  params: URLSearchParams
  onRestored: () => void
}

/** The revisions, and the difference of the chosen one. */
export function History({ template, params, onRestored }: Props) {
  const { id, revision: current } = template
  const list = useList(
    async (after: string | undefined, stop) => toListPage(await readRevisions(id, after, stop)),
    [id, current]
  )
  const { items } = list
  const readRevision = (name: string) => {
    const number = readInteger(params.get(name)) ?? 0
    return number >= 1 && number <= current ? number : undefined
  }
  const chosen = readRevision('revision') ?? current
  const base = readRevision('from') ?? chosen - 1
  const isDeletion = items.some(({ number, action }) => number === chosen && action === 'DELETE')
  return (
    <div class="history">
      <div>
        <Timeline id={id} revisions={items} chosen={chosen} />
        <ListEnd of={list} problem="The revisions could not be read." moreLabel="Older revisions" />
      </div>
      <div>
        <div class="bar across">
          <h2>{base < 1 ? `Revision ${chosen}, the first` : `From revision ${base} to ${chosen}`}</h2>
          {current > 1 && (
            <CompareWith
              numbers={items.map(({ number }) => number).filter(number => number !== chosen)}
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
  <div class="compare across">
    <label class="muted" for="compared">
      Compare with
    </label>
    <Select
      id="compared"
      value={base}
      choices={[...new Set([base, ...numbers])]
        .toSorted((one, other) => other - one)
        .map(number => [number, number < 1 ? 'nothing' : `revision ${number}`] as const)}
      onChange={onChoose}
    />
  </div>
)

const compareWith = (from: number, revision: number) =>
  new URLSearchParams({ from: String(from), revision: String(revision) })

const actions = {
  CREATE: 'created',
  UPDATE: 'changed',
  DELETE: 'deleted',
  RESTORE: 'restored',
  IMPORT: 'imported'
}

/** The revisions, newest first, with their times, authors and messages. */
function Timeline({ id, revisions, chosen }: { id: number; revisions: Revision[]; chosen: number }) {
  return (
    <ol class="timeline" aria-label="Revisions" reversed>
      {revisions.map(({ number, action, time, author, message }) => (
        <li key={number}>
          <a
            href={hrefOf(['templates', id, 'history'], new URLSearchParams({ revision: String(number) }))}
            {...(number === chosen && { 'aria-current': 'true' as const })}
          >
            <strong>Revision {number}</strong>
            <span class="muted">
              <Time time={time} /> ·{' '}
              {action === 'IMPORT' && number > 1 ? 'import or bulk change' : actions[action]}
              {author && describeAuthor(author)}
            </span>
            {message !== null && <span> “{message}”</span>}
          </a>
        </li>
      ))}
    </ol>
  )
}
