/** A link, by a name of its own. */
export type NamedLink = readonly [name: string, label: string, href: string]

/** Links to pages or to tabs, of which the current one is marked. */
export const Links = ({ links, current }: { links: readonly NamedLink[]; current: string }) =>
  links.map(([name, label, href]) => (
    <a key={name} href={href} aria-current={name === current ? 'page' : undefined}>
      {label}
    </a>
  ))
