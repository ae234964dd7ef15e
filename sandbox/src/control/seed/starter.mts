/** What `dossier-sandbox init` writes; the README shows the same. */
export const starterSeed = `organizations:
  - name: Kanzlei Lindt
    id: org_lindt
    plan: business
    live_key: sk_live_0123456789abcdef
    live:
      dossiers:
        - reference: 2026-0042
          title: Lease of the Hafenstrasse office
          documents:
            - { file_name: note.txt, category: correspondence, content: The landlord called back. }
          tasks:
            - { title: Check the deposit, priority: high }
      users:
        - { email: jana.vogt@customer.example, first_name: Jana, dossiers: [2026-0042] }
`;
