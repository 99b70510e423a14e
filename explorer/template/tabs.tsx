import { hrefOf } from '../route.ts'
import type { FullTemplate } from './read.ts'

/** The tabs of a template; each has its own address. */
export function Tabs({ template, current }: { template: FullTemplate; current: string }) {
  const { id, document, revision } = template
  const tabs: [name: string, label: string, count?: number | undefined][] = [
    ['traits', 'Traits', document?.attributes.length],
    ['data', 'Data'],
    ['metadata', 'Metadata'],
    ['history', 'History', revision]
  ]
  return (
    <nav class="tabs" aria-label="Template">
      {tabs.map(([name, label, count]) => (
        <a
          key={name}
          href={hrefOf(name === 'traits' ? ['templates', id] : ['templates', id, name])}
          {...(name === current && { 'aria-current': 'page' as const })}
        >
          {label} {count}
        </a>
      ))}
    </nav>
  )
}
