/** The part of the Monaco editor that is used here. */
interface Monaco {
  editor: {
    defineTheme(
      name: string,
      theme: {
        base: 'vs' | 'vs-dark'
        inherit: boolean
        rules: { token: string; foreground: string }[]
        colors: Record<string, string>
      }
    ): void
  }
}

/** Replacements for the colours that are too pale on GraphiQL's backgrounds, by Monaco's token names. */
const light = {
  rules: [
    { token: 'type', foreground: '006a6a' },
    { token: 'number', foreground: '06663f' },
    { token: 'comment', foreground: '006e00' },
    { token: 'argument.identifier.gql', foreground: '5350b8' }
  ],
  brackets: '#1f6b1f'
}
const dark = {
  rules: [
    { token: 'comment', foreground: '7fae6a' },
    { token: 'argument.identifier.gql', foreground: '908aff' }
  ],
  brackets: '#da70d6'
}

/** Raises the contrast of GraphiQL's themes to 4.5 (WCAG 2.2 §1.4.3). */
export function setEditorColours({ editor }: Monaco): void {
  for (const [name, base, { rules, brackets }] of [
    ['graphiql-LIGHT', 'vs', light],
    ['graphiql-DARK', 'vs-dark', dark]
  ] as const)
    editor.defineTheme(name, {
      base,
      inherit: true,
      rules: [...rules],
      colors: {
        'editor.background': '#ffffff00',
        'scrollbar.shadow': '#ffffff00',
        'editorBracketHighlight.foreground2': brackets
      }
    })
}
