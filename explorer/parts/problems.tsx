/** Problems that screen readers announce at once. */
export function Problems({ problems }: { problems: string[] }) {
  return (
    <div role="alert">
      {problems.map(problem => (
        <p key={problem} class="notice warning">
          {problem}
        </p>
      ))}
    </div>
  )
}
