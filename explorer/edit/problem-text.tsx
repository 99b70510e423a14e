import { type Problem, shortMessage } from './problem.ts'

/** What is wrong with a field, in words; the field names it by `aria-describedby`. */
export function ProblemText({ id, problems }: { id: string; problems: Problem[] }) {
  if (problems.length === 0) return null
  return (
    <span class="problem" id={id}>
      {problems.map(shortMessage).join('; ')}
    </span>
  )
}
