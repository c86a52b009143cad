// Stop words: the function words of English and of other common languages of messages.

const ENGLISH = `a about above after again against all almost also although always am among an and another any
anybody anyone anything are aren around as at be became because been before being below between both but by came can
cannot could couldn d did didn do does doesn doing don done down during each either else etc even ever every
everything few for from further gave get gets getting give given gives giving goes going gonna got gotten had hadn
has hasn have haven having he hello hence her here hers herself hey hi him himself his how however i if in instead
into is isn it its itself just keep kind know let lets like ll lot m made make makes making many may maybe me might
mine more most much must my myself need needs neither never no nobody none nor not nothing now of off often oh ok
okay on once one ones only onto or other others otherwise our ours ourselves out over own per perhaps please pls
quite rather re really s said same say says seem seems shall she should shouldn since so some somebody somehow
someone something sometimes somewhere still such sure t tell than thank thanks that the their theirs them themselves
then there therefore these they thing things this those though through thus til till to too toward towards try trying
u under unless until up upon us use used uses using usually ve very via wanna want wanted wants was wasn way we well
were weren what whatever when whenever where whether which while who whole whom whose why will with within without
won would wouldn x y yeah yes yet you your yours yourself yourselves`;

// Written as `fold` leaves them, which every process would have to do anew: without accents. Words that are content words in
// English or names of tools are left out ("die", "come", "net").

const GERMAN = `aber alle als auch auf aus bei beim bis bitte da dann das dass dein deine dem den der des dies diese
diesem diesen dieser dieses doch du durch ein eine einem einen einer eines er es etwas euch fuer fur gegen geht gibt
haben habe hat hier ich ihm ihn ihr ihre im in ist ja jetzt kann kein keine konnen konnte man mein meine meinem
meinen meiner mich mir mit muss nach nicht noch nur ob oder ohne schon sehr sein seine sich sie sind so uber um und
uns unser unsere unserer unter viel vom von vor wann warum was weil welche wenn wer werden wie wieder wir wird wo
wurde zu zum zur zwischen`;

const FRENCH = `au aux avec avoir ce ceci cela ces cet cette comme comment dans de des donc du elle elles en est et
etre eux il ils je la le les leur leurs lui ma mais mes mon ne nos notre nous on ont ou par pas peut peux plus pour
pourquoi qu quand que quel quelle quels qui quoi sa sans se si sont sur ta te tes ton tous tout toute tres tu un une
veux voudrais vos votre vous`;

const SPANISH_PORTUGUESE_ITALIAN = `al algo alguna algun antes aqui asi aunque cada como cual cuando de del desde
donde el ella ellas ellos en entre eres es esa ese eso esta estas este esto estos estoy estan favor gracias hacer
hasta hay la las le les lo los mas mi mis mucho muy nada necesito ni nos nosotros nuestra nuestro o otra otro para
pero por porque puede puedes puedo que quiero quien se segun ser si sin sobre soy su sus tambien te tengo tiene todo
todos tu tus un una unas uno unos usted y ya yo ao aos apos ate com da das dele dela do e ela ele eles em essa esse
estou foi isso isto ja lhe mais meu minha muito na nao nem nessa no nossa nosso num numa obrigado ou pela pelo posso
preciso quais qual quando quem quero sao sem seu seus so sua suas tambem tem tenho tudo um uma umas uns voce voces
agli alla allo anche che chi cosa cosi dai dal dalla degli dei della delle di dove ed gli ha hai ho il ma mia mio nei
nel nella noi non nostra nostro perche piu puo qua quale quello questa queste questi questo sei sono sta sul sulla ti
tra tua tuo voglio voi vorrei`;

const RUSSIAN = `а без более бы был была были было быть в вам вас весь во вот все вы где да для до его ее если есть
еще же за и из или им их к как ко когда кто ли мне мной может можно мой моя мы на надо нам нас не него нее нет ни но
ну о об он она они оно от по под при с со так такой там то того тоже только тот ты у уже хочу чего чем что чтобы эта
эти это этого этот я`;

const stop = new Set(
  [ENGLISH, GERMAN, FRENCH, SPANISH_PORTUGUESE_ITALIAN, RUSSIAN].join(" ").replaceAll("\n", " ").split(" "),
);

/** Whether a lower-case, accent-folded word is a stop word. */
export function isStopWord(word: string): boolean {
  return stop.has(word);
}
