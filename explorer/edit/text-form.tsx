import { useId } from 'preact/hooks'
import { type Problem, toSentence } from './problem.ts'
import { withLineBreaks } from './text-input.tsx'

interface Props {
  data: string
  problems: Problem[]
  onChange: (data: string) => void
}

/** The maximum number of problems that are shown. */
const maxProblems = 20

/** The document as text, with its problems. */
export function TextForm({ data, problems, onChange }: Props) {
  const id = useId()
  const isWrong = problems.length > 0
  return (
    <div class="form-field">
      <textarea
        class="field raw"
        aria-label="Text of the document"
        aria-invalid={isWrong || undefined}
        aria-describedby={isWrong ? id : undefined}
        data-field="data"
        spellcheck={false}
        value={data}
        onInput={event => onChange(withLineBreaks(event.currentTarget.value, data))}
      />
      {isWrong && (
        <ul class="problems" id={id}>
          {problems.slice(0, maxProblems).map(problem => (
            <li key={`${problem.pointer} ${problem.message}`} class="problem">
              {toSentence(problem)}
            </li>
          ))}
        </ul>
      )}
    </div>
  )
}
