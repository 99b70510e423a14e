import { useState } from 'preact/hooks'
import type { TemplateValues } from '../../domain/columns.ts'
import { showParts } from '../template/parts.ts'
import { readRevision } from '../template/read.ts'
import { Button } from '../ui/button.tsx'
import { Cancel } from '../ui/confirm.tsx'
import { Time } from '../ui/time.tsx'
import { useRead } from '../ui/use-read.ts'
import { type Draft, isTyped } from './draft.ts'
import { type Difference, listDifferences, merge, type Side } from './merge.ts'

interface Props {
  id: number
  draft: Draft
  theirs: TemplateValues & { revision: number }
  onMerged: (draft: Draft) => void
  onCancel: () => void
}

/** A conflict: the user chooses, part by part, between their own changes and those of somebody else. */
export function Conflict({ id, draft, theirs, onMerged, onCancel }: Props) {
  const base = draft.base ?? theirs
  const differences = listDifferences(base, theirs, draft)
  const [chosen, setChosen] = useState(
    () => new Map<string, Side | undefined>(differences.map(({ label, changedBy }) => [label, changedBy]))
  )
  const choose = (label: string, side: Side) => setChosen(new Map(chosen).set(label, side))
  const isOpen = differences.some(({ label }) => chosen.get(label) === undefined)
  const finish = () => {
    const mine = differences.filter(({ label }) => chosen.get(label) === 'mine')
    onMerged({ ...draft, ...merge(theirs, draft, mine), base: theirs })
  }
  return (
    <section aria-label="Conflict">
      <p class="notice warning" role="alert">
        <Author id={id} revision={theirs.revision} /> while you were editing revision {base.revision}. Choose
        what the next revision shall have. What only one of you changed is chosen already.
      </p>
      <table class="lines merge">
        <thead>
          <tr>
            <th scope="col">What differs</th>
            <th scope="col">Revision {base.revision}</th>
            <th scope="col">Theirs, revision {theirs.revision}</th>
            <th scope="col">Yours</th>
          </tr>
        </thead>
        <tbody>
          {differences.map(difference => (
            <Row
              key={difference.label}
              difference={difference}
              chosen={chosen.get(difference.label)}
              onChoose={side => choose(difference.label, side)}
            />
          ))}
        </tbody>
      </table>
      <div class="bar-of-form">
        <div class="foot across">
          <Button look="primary" disabled={isOpen} onClick={finish}>
            Use this choice
          </Button>
          <Cancel isTyped={isTyped(draft)} onCancel={onCancel} />
          <span class="muted">
            {isOpen ? 'Choose in each row.' : 'You can look at it again before it is saved.'}
          </span>
        </div>
      </div>
    </section>
  )
}

/** Says who saved a revision, and when. Until it is read, or if nobody knows, somebody else did. */
function Author({ id, revision }: { id: number; revision: number }) {
  const { data: saved } = useRead(stop => readRevision(id, revision, stop), [id, revision])
  if (!saved?.author) return <>Somebody else saved revision {revision}</>
  return (
    <>
      {saved.author.name} saved revision {revision} on <Time time={saved.time} />
      {saved.message !== null && `, “${saved.message}”,`}
    </>
  )
}

interface RowProps {
  difference: Difference
  chosen: Side | undefined
  onChoose: (side: Side) => void
}

function Row({ difference, chosen, onChoose }: RowProps) {
  const { label } = difference
  const [base, theirs, mine] = showParts(difference.base, difference.theirs, difference.mine)
  return (
    <tr>
      <th scope="row">{label}</th>
      <td class="muted">{base ?? missing}</td>
      {Object.entries({ theirs, mine }).map(([side, text]) => (
        <td key={side}>
          <label>
            <input
              type="radio"
              name={`choice ${label}`}
              checked={chosen === side}
              onChange={() => onChoose(side as Side)}
            />
            <span>
              <span class="hidden-visually">{side === 'mine' ? 'Yours: ' : 'Theirs: '}</span>
              {text ?? missing}
            </span>
          </label>
        </td>
      ))}
    </tr>
  )
}

const missing = <em>not there</em>
