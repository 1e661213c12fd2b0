# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# Every constant that a user can see: palettes, fonts, sizes, keys, words for choices.

namespace eval ::heatscope::settings {
    namespace export get palette keys
    namespace ensemble create

    variable palettes {
        light {
            window #f3f5f8  card #ffffff  border #e3e7ed  rule #eceff3
            text #1d2430  muted #667085  faint #98a2b3
            accent #1f5fd6  accentSoft #dbe7ff  selection #e4edff  field #ffffff  fieldBorder #d0d5dd
            hover #f4f6fa  button #ffffff  buttonActive #eef2f8
            current #fff3c4  hit #ffe08a  chip #f2f4f7  chipText #475467  chipBad #fdeee8  chipBadText #b42318
            warn #c4590a  warnSoft #fff4e5
            barDark #5b7fb9  barLight #b9c9e6  barTrack #e8ecf1
            gutterLow #ffffff  gutterHigh #6b727c
            keyword #6f42c1  number #0e6e8c  string #a15c00  comment #4f8a3c  refRead #e3f0fb  refWrite #fdebd3  directive #b45309  type #1f5fd6
            function #9c2f74  macro #b45309  variable #27364f  member #3d6180  constant #0e6e8c
            noCode #000000
        }
        dark {
            window #14171c  card #1b1f26  border #2a303a  rule #262b34
            text #e6e9ef  muted #98a2b3  faint #667085
            accent #6aa8ff  accentSoft #1d3a6b  selection #1d3556  field #22262d  fieldBorder #3a414d
            hover #232831  button #22272f  buttonActive #2c323c
            current #473a12  hit #6b5512  chip #262b34  chipText #a9b4c4  chipBad #3a2018  chipBadText #ff8a65
            warn #f79a4b  warnSoft #33240f
            barDark #6f97d8  barLight #34486b  barTrack #2a303a
            gutterLow #1b1f26  gutterHigh #8d949f
            keyword #c792ea  number #6cc7e0  string #e0b06a  comment #7fb069  refRead #1e3a52  refWrite #51391a  directive #f0a04b  type #7fb0ff
            function #f299c8  macro #f0a04b  variable #d3dcf0  member #a3c4e0  constant #6cc7e0
            noCode #000000
        }
    }

    # Families by preference; the first that is installed is taken.
    variable families {
        ui {Inter {Noto Sans} {Open Sans} {DejaVu Sans} Helvetica}
        mono {{JetBrains Mono} Hack {Noto Sans Mono} {DejaVu Sans Mono} Courier}
    }
    # Sizes in points at scale 1.
    variable fonts {
        HsUI {ui 8 normal roman} HsUIb {ui 8 bold roman} HsSmall {ui 7.5 normal roman} HsTitle {ui 9 bold roman}
        HsMono {mono 8.5 normal roman} HsMonoB {mono 8.5 bold roman} HsMonoI {mono 8.5 normal italic}
        HsCell {ui 7.5 normal roman} HsHead {ui 7.5 normal roman} HsHeadB {ui 7.5 bold roman}
    }

    # Lengths in pixels at 96 dots an inch.
    variable sizes {
        rowPad 3  cellMin 30  cellMax 64  scopeBar 17  minimap 18  cellLeast 24  cellGood 40  sourceMin 460  sourceGood 420  sourceMany 380  sourceLeast 300
        paneGap 5  pad 12  leftWidth 322  leftFrom 860  rightWidth 352
    }
    # Beside the source, the first that leaves it so much: width of the bars, whether the scope bars are thin, the cells' least width.
    variable besides {
        {156 0 cellMin 460}
        {84 0 cellMin 420}
        {84 1 cellMin 380}
        {84 1 cellLeast 340}
        {0 1 cellLeast 0}
    }
    # Where the source has room for fewer letters, half of the blanks before its lines go.
    variable indentedLetters 50
    # Where many lines of a file don't fit: blanks before lines from which on two of three go; what all lines in view must begin with for that to go.
    variable deepBlanks 12
    variable commonBlanks 8
    # Room for so many is left beside arrows, as long as these can do with less.
    variable arrowLetters 40
    # Part of a column's height that its upper place has.
    variable shares {left 0.62  middle 0.68  right 0.47}

    # Part of the column that views of the lower place get at least when they are raised, as long as nobody has moved the sash.
    variable wanted {contexts 0.42 compare 0.42 assembly 0.5 compiler 0.42 matrix 0.44 messages 0.42 waiting 0.42 arrays 0.42 probes 0.42 timeline 0.4 about 0.42}

    # The views, in the order of the Tab key: class, place (column.part), words on the tab where a place has several.
    variable panes {
        overview    {OverviewView left.top Overview}
        terrain     {TerrainView left.bottom Terrain}
        detail      {DetailView middle.top Source}
        findings    {FindingsView right.top Findings}
        ranking     {RankingView right.top Ranked}
        scope       {ScopeView right.bottom Scope}
        flame       {FlameView middle.bottom Flame}
        contexts    {ContextsView middle.bottom Contexts}
        assembly    {AssemblyView middle.bottom Assembler}
        compiler    {CompilerView middle.bottom Compiler}
        messages    {MessagesView middle.bottom Messages}
        matrix      {MatrixView middle.bottom Matrix}
        waiting     {WaitingView middle.bottom Waiting}
        arrays      {ArraysView middle.bottom Arrays}
        probes      {ProbesView middle.bottom Probes}
        compare     {CompareView middle.bottom Compare}
        timeline    {TimelineView middle.bottom Timeline}
        about       {AboutView middle.bottom Run}
        profilemap  {ProfileMapView left.top Map}
        outline     {OutlineView left.top Outline}
    }
    # Files that the first picture needs, in the order of reading.
    variable modelFiles {
        model/breathe
        model/fmt
        model/names
        model/bus
        model/lexer
        model/chips
        model/document
        model/syntax
        model/run
        model/navigator
        model/messages
        model/arrays
        model/search
        model/comparison
        model/memory
        model/hottest
    }
    variable viewFiles {
        view/view
        view/overview
        view/arrows
        view/popup
        view/detail
        view/detail_text
        view/detail_room
        view/detail_part
        view/detail_readout
    }
    # What is read when it is first called, and the files for it, what they build on first.
    variable modelsLater {
        ContextTree model/contexttree
        statement   model/statement
        kept        model/kept
        Compiler    model/compiler
        Waiting     model/waiting
        Told        model/told
        About       model/about
        session     model/session
    }
    variable viewsLater {
        ListView       view/list
        NotesView      {view/list view/notes}
        ProfileMapView view/profilemap
        TerrainView    view/terrain
        FindingsView   view/findings
        RankingView    {view/list view/ranking}
        ScopeView      view/scope
        FlameView      view/flame
        ContextsView   view/contexts
        CompilerView   {view/list view/notes view/compiler}
        MessagesView   {view/list view/messages}
        MatrixView     {view/list view/matrix}
        WaitingView    {view/list view/notes view/waiting}
        ArraysView     {view/list view/notes view/arrays}
        ProbesView     {view/list view/notes view/probes}
        CompareView    {view/list view/compare}
        TimelineView   view/timeline
        AboutView      {view/list view/notes view/about}
        AssemblyView   view/assembly
        OutlineView    {view/list view/outline}
        script         script
        drawn::items   view/drawn
        drawn::paragraphs view/drawn
    }

    # The pane that tells more of a finding.
    variable explains {
        "Hottest loop" compiler  "Not vectorised" compiler  "Scalar remainder" compiler  "Short vectors" compiler  "Loop order" compiler  "Memory management" flame  "Vectorisation not tried" compiler  "Spin waits" compiler
        "Calls of MPI" messages  MPI messages  Array arrays  "Waiting caused" waiting
        Blocked timeline  "OpenMP runtime" flame  "Input and output" flame  "In the kernel" about  "No processor" about
    }

    variable words {
        bins {max sum}
        scales {log linear}
        colours {inferno viridis cividis classic}
        axes {thread process}
        rankings {procedure loop line module symbol context message array reason}
        shows {value difference ratio}
        normalisations {program file row}
        lines {own calls}
    }

    # Of more calling contexts the window does not begin at the hottest loop, which takes some 0.3 us each to find.
    variable beginContexts 30000
    # Runs of more than this many lines without samples are left out of the overview.
    variable skipLines 24
    variable historyLength 200
    variable rankedRows 200
    # So many of them are shown before the others are read.
    variable firstRanked 24
    # Loops that were refused vectors: so many are listed, and asked for at a time.
    variable refusedRows 1024
    variable refusedPage 1024
    # A refusal of a loop with less than this part of the run is told in grey.
    variable refusalShare 0.001
    # Of many loops so many are shown before the others are read.
    variable firstRows 64
    # Milliseconds until the status bar says what a view is reading.
    variable partAfter 200
    # Of an interval with so many samples processors are counted before anything of it is drawn: in a few milliseconds.
    variable countAtOnce 300000
    variable contextLines 6
    # Maximum over mean above which a processor imbalance is marked.
    variable imbalance 1.25

    # key sequence, action of the App, what the key sheet says; {} as text: not listed
    variable keyTable {
        <Up>            {move -1 0}      {previous line}
        <Down>          {move 1 0}       {next line}
        <Left>          {move 0 -1}      {previous processor}
        <Right>         {move 0 1}       {next processor}
        <Prior>         {page -1}        {page up}
        <Next>          {page 1}         {page down}
        <Shift-Right>   {sideways 4}     {source text to the side, to see the end of long lines}
        <Shift-Left>    {sideways -4}    {and back}
        <Home>          {edge first}     {first line of the file}
        <End>           {edge last}      {last line of the file}
        <n>             {hot 1}          {next hot spot, from the hottest on}
        <N>             {hot -1}         {previous hot spot}
        <p>             {hotPath}        {along the hot path, one step in}
        <Return>        {enter}          {into the scope: procedure, loop, inner loop}
        <Escape>        {leave}          {out to the enclosing scope; closes what is open}
        <Tab>           {nextView 1}     {next view}
        <<PrevWindow>>  {nextView -1}    {previous view}
        <Control-f>     {search}         {search procedures, files, lines, remarks, calls, arrays, processors}
        <F3>            {searchStep 1}   {next hit}
        <Shift-F3>      {searchStep -1}  {previous hit}
        <Alt-Left>      {history -1}     {back}
        <Alt-Right>     {history 1}      {forward}
        <Control-e>     {edit}           {open the line in $HEATSCOPE_EDITOR, $VISUAL or $EDITOR}
        <Control-c>     {copy}           {copy what is shown of the active view as text}
        <Control-s>     {savePicture}    {save a picture of the window}
        <Control-x>     {exportView}     {save the active view as SVG, PDF, PNG, TSV or text}
        <Control-w>     {saveSession}    {save selection and arrangement as a session file}
        <Control-o>     {openSession}    {open a session file}
        <Control-Shift-O> {openDatabase}   {open another database, in a window of its own}
        <Control-d>     {compareDatabase} {a second database: all panes compare with it}
        <b>             {cycle bin}      {bin by maximum or by sum}
        <s>             {cycle scale}    {scale logarithmic or linear}
        <c>             {cycle colours}  {next colour map}
        <e>             {cycle normalise} {colours to the hottest of the program, the file or the line}
        <x>             {cycle show}     {with two databases: this run, difference, ratio}
        <k>             {nextCategory}   {values of one category only: the next one, then all}
        <w>             {cycle lines}    {lines by themselves, or with what they call}
        <a>             {cycle axis}     {processors: threads or processes}
        <r>             {cycle ranking}  {ranking by procedure, loop, line, module, symbol, context, message, array, reason}
        <t>             {toggleTheme}    {light or dark}
        <m>             {maximise}       {maximise the active view, or back}
        <Alt-Key-1>     {toggle overview}   {hide or show the overview}
        <Alt-Key-2>     {toggle terrain}    {hide or show the terrain}
        <Alt-Key-3>     {toggle ranking}    {hide or show the ranking}
        <Alt-Key-4>     {toggle scope}      {hide or show the scope pane}
        <Alt-Key-5>     {toggle findings}   {hide or show the findings}
        <Alt-Key-6>     {toggle flame}      {hide or show the flame graph}
        <Alt-Key-7>     {toggle contexts}   {hide or show the calling contexts}
        <Alt-Key-8>     {toggle compiler}   {hide or show the compiler's decisions}
        <Alt-Key-9>     {toggle messages}   {hide or show the messages}
        <Alt-Key-0>     {toggle compare}    {hide or show the comparison with a second database}
        <Alt-i>         {toggle timeline}   {hide or show the timeline}
        <i>             {raise timeline}    {show the timeline; a drag in it chooses an interval}
        <Alt-a>         {toggle assembly}   {hide or show the assembler}
        <A>             {raise assembly}    {show the assembler: instructions with their samples}
        <F1>            {help}           {this sheet; also ?}
        <question>      {help}           {}
        <Control-q>     {quit}           {quit}
    }

    # Keys that single views answer, for the key sheet.
    variable viewKeys {
        Contexts {h {open the hottest way down}  {d u f} {top-down, bottom-up, flat}  {Right Left} {open, close}}
        Assembler {{h H} {next and previous instruction by samples}  l {next instruction of the line}  {j Enter} {to the jump's target}  {y o} {bytes, source lines}  / find}
        {Flame graph} {BackSpace {zoom out}  l {with or without loops}}
        Lists {{g G} {next and previous grouping}  {o O} {sort by the next column, turn the order round}  {[ ]} {places in the notes beside}}
        Compiler {+ {the next refused loops, where there are more}}
        Matrix {k {by machine or by rank}  Enter {to the calls of the pair}}
        Timeline {{Up Down} {nearer, farther}  {Left Right} {to the side}  Enter {the interval, the whole run}}
        Terrain {{Left Right Up Down} {turn}  {+ -} {nearer, farther}  End {flat-on: profiles of the lines}  Home {as at first}}
        Probes {Enter {a phase becomes the interval}}
    }

    proc get {name args} {
        variable $name
        if {[llength $args]} {
            return [dict get [set $name] {*}$args]
        }
        return [set $name]
    }
    proc palette {theme} {
        variable palettes
        return [dict get $palettes $theme]
    }
    proc keys {} {
        variable keyTable
        return $keyTable
    }
}
